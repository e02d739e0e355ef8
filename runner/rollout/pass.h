#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "rollout/kv_cache.h"
#include "rollout/policy.h"

// Batching for the inference engine: tokens of several sequences are computed in one forward pass, one row per token.
// Unread tokens are those at the end of a sequence that are not in the KV cache yet.

namespace compeer::rollout {

/// Consecutive tokens of one sequence that were added to a pass.
struct TokenChunk {
  size_t which;        ///< index of the sequence in the argument of `Pass::add`
  int64_t from;        ///< position of the first token of the chunk in the sequence
  int64_t count, row;  ///< number of tokens; row of the first one in the pass
};

/// One forward pass over parts of several sequences, with the KV cache. Can be filled again after `run`.
class Pass {
 public:
  /// Keeps references to both. `pages`: the KV cache of all sequences to be added.
  Pass(Policy& policy, Pages& pages)
      : policy_(policy), pages_(pages), most_rows_(most_rows_of(policy.model.shape().exact)) {}

  /// Returns the largest number of rows of a pass. More would not be faster and take more memory. `exact`:
  /// `ModelShape::exact`, the engine is the exact kernels and not libtorch.
  static constexpr int64_t most_rows_of(bool exact) { return exact ? 512 : 4096; }

  /// Adds the next `count` unread tokens of a sequence and returns the row of the first. May be called several times
  /// for one sequence; the result of each call is one part for `run_for_last`. Allocates cache space, so the tokens
  /// count as read from then on.
  int64_t add(CachedSequence& conversation, int64_t count);
  /// Adds unread tokens of the sequences, in order, until the pass is full, and returns what was added. Empty if
  /// nothing is unread. Tokens appended with images are added together: if the rest of the pass is too small for them,
  /// adding stops; only as the first part may they exceed `most_rows`.
  std::vector<TokenChunk> add(const std::vector<CachedSequence*>& waiting);
  /// Number of rows (tokens) added so far.
  int64_t rows() const { return static_cast<int64_t>(tokens_.size()); }
  int64_t most_rows() const { return most_rows_; }
  /// Runs the model and returns the hidden states of all rows, float32 [rows, hidden]. The pass is empty afterwards.
  at::Tensor run();
  /// The same for the last row of each added part only: float32 [parts, hidden], in the order of `add`.
  at::Tensor run_for_last();

 private:
  Policy& policy_;
  Pages& pages_;
  const int64_t most_rows_;
  Batch batch_;                  // the input of the model; `segments` is filled by `add`, `tokens` by `run`
  std::vector<int64_t> tokens_;  // token of each row
};

/// Returns a pointer to row `index` of a contiguous float32 matrix on the host; valid as long as the matrix.
const float* row_of(const at::Tensor& matrix, int64_t index);
/// Copies rows of `width` floats each into one tensor on the host, float32 [rows, width].
at::Tensor stacked(const std::vector<const float*>& rows, int64_t width);

/// Copies integers into a tensor on the host, int64 [values.size()].
at::Tensor int_tensor(const std::vector<int32_t>& values);
at::Tensor int_tensor(const std::vector<int64_t>& values);

}  // namespace compeer::rollout
