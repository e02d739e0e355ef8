#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "kernels/gemm.h"

namespace compeer::kernels {

/// Storage of a Weight.
struct WeightOptions {
  Format format = Format::float32;  ///< format of the packed copy; q8_0 and q4_0 only for frozen weights
  bool frozen = false;              ///< the weight never changes: it is packed once, at construction
  std::function<void()> release;    ///< frozen: called after packing, when the tensor's memory is no longer read
  bool plain = false;               ///< never packed: libtorch multiplies by the tensor, on its device
};

/// Products with at least this number of rows may read an unpacked matrix: packing it on the way then costs little.
constexpr int64_t min_rows_unpacked = 128;

/// A weight matrix W [out, in] with a copy that is packed for products (packed.h). Arithmetic is float32, and products
/// are bitwise those of W rounded to the format of the copy (`round_row`). In bfloat16_pairs the other factor is
/// rounded, too, also in products of the low-rank change and of gradients (gemm.h).
///
/// Trainable (the default): a float32 tensor, packed when it is first needed and again after `changed`. With format
/// bfloat16 its values must be exact in bfloat16; with bfloat16_pairs they need not. Products of at least
/// `min_rows_unpacked` rows read the tensor itself and drop the copy, whose memory gradients need, if gradients are
/// enabled and not `pages_kept` (base/pages.h), or if gradients are disabled and the copy is out of date.
///
/// Frozen: a float32 or bfloat16 tensor, packed at construction by all threads. Products and their gradients read only
/// the copy, so `release` may return the tensor's memory (pages of a mapped file) to the system. Frozen weights of the
/// same tensor share one copy, for example those of several models with one base.
class Weight {
 public:
  explicit Weight(at::Tensor value) : Weight(std::move(value), WeightOptions()) {}
  Weight(at::Tensor value, const WeightOptions& options);

  const at::Tensor& value() const { return value_; }
  bool frozen() const { return frozen_; }
  bool in_pairs() const { return format_ == Format::bfloat16_pairs; }
  /// Returns the packed copy, after updating it if necessary.
  const Packed& packed();
  /// Returns W^T as the right factor of x W^T, for x with this number of rows.
  RightMatrix factor(int64_t rows);
  /// Returns W^T as an argument of multiply_by_transpose, for dy W with this number of rows.
  RightMatrix factor_back(int64_t rows);
  /// To be called after `value` or a low-rank change was modified in place.
  void changed();

  /// dx [rows, in] = dy [rows, out] W, or dx += dy W. Ignores low-rank changes.
  void multiply_back(const float* dy, int64_t rows, float* dx, Write write);

  /// dW [out, in] += dy^T x: one chain of additions over the rows of all calls. `runs`: number of rows of each
  /// sequence, for bfloat16_pairs, where rows are paired within a sequence (empty: all rows are one sequence).
  void add_gradient(const float* dy, const float* x, int64_t rows, const std::vector<int64_t>& runs, float* dw) const;

  /// Adds a LoRA adapter: for rows of `adapter`, products are x W^T + scale (x A^T) B^T with a [rank, in], b [out,
  /// rank]. Only adapter 0 has gradients.
  void add_low_rank(at::Tensor a, at::Tensor b, double scale, int32_t adapter = 0);
  struct LowRank;
  LowRank* low_rank(int32_t adapter = 0) const;  ///< null if there is none

 private:
  RightMatrix unpacked() const;  // W^T as a factor that reads the tensor

  at::Tensor value_;            // W
  Format format_;               // format of the packed copy
  bool frozen_, stale_ = true;  // stale: the packed copy is missing or out of date
  std::shared_ptr<Packed> packed_;
  std::vector<std::unique_ptr<LowRank>> low_rank_;  // by adapter; null: none
};

/// A LoRA update scale B A.
struct Weight::LowRank {
  Weight a, b;
  float scale;
};

}  // namespace compeer::kernels
