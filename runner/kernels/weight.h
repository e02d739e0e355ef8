#pragma once
#include <ATen/core/Tensor.h>

#include <functional>

#include "kernels/gemm.h"

namespace compeer::kernels {

/// How a Weight is kept.
struct WeightOptions {
  at::ScalarType precision = at::kFloat;  ///< kFloat or kBFloat16: of the copy that products read
  bool frozen = false;                    ///< never changes: rearranged once, at construction
  std::function<void()> release;          ///< frozen: called when products no longer read the tensor's memory
};

/// A matrix [out, in] to multiply by, with the rearranged copy that products read. Arithmetic is float32 whatever the
/// precision: with kBFloat16 the products are, bit for bit, those of the weights rounded to bfloat16.
///
/// Trainable, as one argument makes it: a float32 tensor, rearranged when first needed and again after `changed`. For
/// kBFloat16 its numbers must be such that bfloat16 holds them.
/// Frozen: a float32 or bfloat16 tensor, rearranged at once by all threads. `release` may then give the memory behind
/// the tensor back to the system (pages of a mapped file), so that about one copy of the weights stays resident. It
/// must remain readable: gradients with respect to the products' other factor read it again.
class Weight {
 public:
  explicit Weight(at::Tensor value) : Weight(std::move(value), WeightOptions()) {}
  Weight(at::Tensor value, const WeightOptions& options);

  const at::Tensor& value() const { return value_; }
  const Packed& packed();      ///< for x W^T
  at::Tensor rounded() const;  ///< float32: the elements that products see
  void changed();              ///< call after `value` was changed in place

 private:
  void pack();
  at::Tensor value_;
  at::ScalarType precision_;
  bool frozen_, stale_ = true;
  Packed packed_;
};

}  // namespace compeer::kernels
