#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "rollout/kv_cache.h"
#include "rollout/policy.h"

namespace compeer::rollout {

/// Consecutive tokens of one sequence within a pass.
struct TokenChunk {
  size_t which;        ///< index of the sequence in the argument of `Pass::add`
  int64_t from;        ///< position of its first token in the sequence
  int64_t count, row;  ///< number of tokens; row of the first one in the pass
};

/// One forward pass over parts of several sequences, with the KV cache. Can be used again after `run`.
class Pass {
 public:
  Pass(Policy& policy, Pages& pages)
      : policy_(policy), pages_(pages), most_rows_(most_rows_of(policy.model.shape().exact)) {}

  /// Most rows of a pass. More would not be faster and take more memory.
  static constexpr int64_t most_rows_of(bool exact) { return exact ? 512 : 4096; }

  /// Adds the next `count` unread tokens of a sequence and returns the row of the first. May be called several times
  /// for one sequence. The pages must outlive the pass.
  int64_t add(CachedSequence& conversation, int64_t count);
  /// Adds unread tokens of the sequences, in order, until the pass is full, and returns what was added. Empty if
  /// nothing is unread. A segment with images that is longer than `most_rows` is added if it is the first.
  std::vector<TokenChunk> add(const std::vector<CachedSequence*>& waiting);
  int64_t rows() const { return static_cast<int64_t>(tokens_.size()); }  ///< number of tokens added so far
  int64_t most_rows() const { return most_rows_; }
  /// Runs the model and returns the hidden states of all rows, float32 [rows, hidden]. The pass is empty afterwards.
  at::Tensor run();
  /// The same for the last row of each added part only: float32 [parts, hidden], in the order of `add`.
  at::Tensor run_for_last();

 private:
  Policy& policy_;
  Pages& pages_;
  const int64_t most_rows_;
  Batch batch_;                  // segments of the added parts
  std::vector<int64_t> tokens_;  // token ids of all rows
};

/// Returns a pointer to row `index` of a contiguous float32 matrix on the host.
const float* row_of(const at::Tensor& matrix, int64_t index);
/// Copies rows of `width` floats into one tensor, float32 [rows, width].
at::Tensor stacked(const std::vector<const float*>& rows, int64_t width);

/// Copies integers into a tensor, int64 [n].
at::Tensor int_tensor(const std::vector<int32_t>& values);
at::Tensor int_tensor(const std::vector<int64_t>& values);

}  // namespace compeer::rollout
