#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "kernels/gemm.h"

namespace compeer::kernels {

/// How a Weight is kept.
struct WeightOptions {
  Format format = Format::float32;  ///< of the copy that products read; blocks (q8_0, q4_0): frozen weights only
  bool frozen = false;              ///< never changes: rearranged once, at construction
  std::function<void()> release;    ///< frozen: called when products no longer read the tensor's memory
  bool plain = false;               ///< never rearranged: libtorch multiplies by it, wherever it is
};

constexpr int64_t rows_as_it_lies = 128;  ///< of a product, from which on rearranging on the way costs little

/// A matrix [out, in] to multiply by, with the rearranged copy that products read. Arithmetic is float32 whatever the
/// format, except for bfloat16_pairs: products are, bit for bit, those of the weights rounded to it (`round_row`). In
/// bfloat16_pairs the products of the low-rank change and of all gradients are, too (gemm.h).
///
/// Trainable, as one argument makes it: a float32 tensor, rearranged when first needed and again after `changed`.
/// Unless `pages_kept` (base/pages.h), the copy is dropped for products of many rows that are differentiated
/// (rows_as_it_lies): gradients need its memory. For bfloat16 its numbers must be such that bfloat16 holds them; for
/// bfloat16_pairs they need not. Frozen: a float32 or bfloat16 tensor, rearranged at once by all threads. Products and
/// their gradients read that copy alone, so `release` may then give the memory behind the tensor back to the system
/// (pages of a mapped file). Weights of one tensor share the copy: so do models that stand on one base.
class Weight {
 public:
  explicit Weight(at::Tensor value) : Weight(std::move(value), WeightOptions()) {}
  Weight(at::Tensor value, const WeightOptions& options);

  const at::Tensor& value() const { return value_; }
  bool frozen() const { return frozen_; }
  bool in_pairs() const { return format_ == Format::bfloat16_pairs; }
  const Packed& packed();
  RightMatrix factor(int64_t rows);       ///< of x W^T with so many rows
  RightMatrix factor_back(int64_t rows);  ///< the transpose of that of dy W
  void changed();                         ///< call after `value` or a low-rank change was changed in place

  /// dx [rows, in] = dy [rows, out] W, or added to it. Without low-rank changes.
  void multiply_back(const float* dy, int64_t rows, float* dx, Write write);

  /// dW [out, in] += dy^T x, one chain over all rows that ever come; `runs`: how many rows are one sequence's, whose
  /// pairs are its own (none: all rows).
  void add_gradient(const float* dy, const float* x, int64_t rows, const std::vector<int64_t>& runs, float* dw) const;

  /// W + scale B A instead of W for rows of `adapter`: x W^T + scale (x A^T) B^T, with a [rank, in] and b [out, rank]
  /// that may train. Gradients are of adapter 0.
  void add_low_rank(at::Tensor a, at::Tensor b, double scale, int32_t adapter = 0);
  struct LowRank;
  LowRank* low_rank(int32_t adapter = 0) const;  ///< null: none

 private:
  RightMatrix as_it_lies() const;

  at::Tensor value_;
  Format format_;
  bool frozen_, stale_ = true;
  std::shared_ptr<Packed> packed_;
  std::vector<std::unique_ptr<LowRank>> low_rank_;  ///< by adapter
};

struct Weight::LowRank {
  Weight a, b;
  float scale;
};

}  // namespace compeer::kernels
