#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "kernels/gemm.h"

namespace compeer::kernels {

/// Storage options of a Weight.
struct WeightOptions {
  Format format = Format::float32;  ///< number format of the packed copy; q8_0 and q4_0 only for frozen weights
  bool frozen = false;              ///< the weight never changes: it is packed once, at construction
  std::function<void()> release;    ///< frozen: called after packing, when the tensor's memory is no longer read
  bool plain = false;               ///< never packed: libtorch multiplies by the tensor itself, on its device
};

/// Products with at least this number of rows may read an unpacked matrix: packing it on the way then costs little.
constexpr int64_t min_rows_unpacked = 128;

/// A weight matrix W [out, in] of a linear layer, x [rows, in] -> x W^T [rows, out], with a copy that is packed
/// (rearranged) for fast products. Arithmetic is float32, and products are bitwise those of W rounded to the format of
/// the copy (`round_row`). In bfloat16_pairs the other factor is rounded, too, also in products of LoRA adapters and of
/// gradients.
///
/// Trainable (the default): a float32 tensor, packed when it is first needed and again after `changed`. With format
/// bfloat16 its values must be exact in bfloat16; with bfloat16_pairs they need not. Products of at least
/// `min_rows_unpacked` rows read the tensor itself and drop the copy, to free memory for gradients, if gradients are
/// enabled and `compeer::pages_kept` is false (the default), or if gradients are disabled and the copy is out of date.
///
/// Frozen: a float32 or bfloat16 tensor, packed at construction by all threads. Products and their gradients read only
/// the copy, so `release` may return the tensor's memory (pages of a mapped file) to the system. Frozen weights of the
/// same tensor share one copy, for example those of several models with one base.
class Weight {
 public:
  /// `value`: W, contiguous.
  explicit Weight(at::Tensor value) : Weight(std::move(value), WeightOptions()) {}
  Weight(at::Tensor value, const WeightOptions& options);

  const at::Tensor& value() const { return value_; }  ///< W [out, in]
  bool frozen() const { return frozen_; }             ///< WeightOptions::frozen
  /// True if products are computed in bfloat16 pairs.
  bool in_pairs() const { return format_ == Format::bfloat16_pairs; }
  /// Returns the packed copy of W^T, after updating it if necessary.
  const Packed& packed();
  /// Returns W^T as the right factor of x W^T, for x with this number of rows.
  RightMatrix factor(int64_t rows);
  /// Returns W^T as the argument of multiply_by_transpose that gives dy W, the gradient of x, for dy with this number
  /// of rows.
  RightMatrix factor_back(int64_t rows);
  /// Must be called after `value` or the matrices of a LoRA adapter were modified in place.
  void changed();

  /// Computes dx [rows, in] = dy [rows, out] W, or dx += dy W, depending on `write`. Ignores LoRA adapters.
  void multiply_back(const float* dy, int64_t rows, float* dx, Write write);

  /// dW [out, in] += dy^T x: one chain of additions over the rows of all calls. `runs`: number of rows of each
  /// sequence, for bfloat16_pairs, where rows are paired within a sequence (empty: all rows are one sequence).
  void add_gradient(const float* dy, const float* x, int64_t rows, const std::vector<int64_t>& runs, float* dw) const;

  /// Adds a LoRA adapter with index `adapter`: for rows that use it, products are x W^T + scale (x A^T) B^T with a
  /// [rank, in], b [out, rank]. Only adapter 0 has gradients.
  void add_low_rank(at::Tensor a, at::Tensor b, double scale, int32_t adapter = 0);
  struct LowRank;
  LowRank* low_rank(int32_t adapter = 0) const;  ///< the LoRA adapter with this index; null if there is none

 private:
  RightMatrix unpacked() const;  // W^T as a view of `value_`

  at::Tensor value_;                                // W [out, in]
  Format format_;                                   // number format of the packed copy
  bool frozen_, stale_ = true;                      // stale: the packed copy is missing or out of date
  std::shared_ptr<Packed> packed_;                  // packed copy of W^T; null if frozen and never packed
  std::vector<std::unique_ptr<LowRank>> low_rank_;  // LoRA adapters by index; null: none
};

/// A LoRA adapter of one weight: W becomes W + scale B A.
struct Weight::LowRank {
  Weight a, b;  ///< A [rank, in], B [out, rank]
  float scale;
};

}  // namespace compeer::kernels
