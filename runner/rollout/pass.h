#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "rollout/kv_cache.h"
#include "rollout/policy.h"

namespace compeer::rollout {

/// Part of a conversation that goes through the model in one pass.
struct Portion {
  size_t which;  ///< of the conversations that were offered
  int64_t from;  ///< place of its first token in the conversation
  int64_t count, row;
};

/// One forward pass over portions of several conversations.
class Pass {
 public:
  Pass(Policy& policy, Pages& pages)
      : policy_(policy), pages_(pages), most_rows_(most_rows_of(policy.model.shape().exact)) {}

  /// Rows that a pass should not exceed: more gain nothing and only take memory.
  static constexpr int64_t most_rows_of(bool exact) { return exact ? 512 : 4096; }

  /// The next `count` unread tokens of a conversation; returns the row of the first. Portions of one conversation stand
  /// in order.
  int64_t add(CachedSequence& conversation, int64_t count);
  /// Unread tokens of those conversations that come first, until the pass is full.
  std::vector<Portion> add(const std::vector<CachedSequence*>& waiting);
  int64_t rows() const { return static_cast<int64_t>(tokens_.size()); }
  int64_t most_rows() const { return most_rows_; }
  /// Hidden states [rows, hidden], after which the pass is empty again.
  at::Tensor run();
  /// The same of the last row of each portion: [portions, hidden], in the order they were added.
  at::Tensor run_for_last();

 private:
  Policy& policy_;
  Pages& pages_;
  const int64_t most_rows_;
  Batch batch_;
  std::vector<int64_t> tokens_;
};

/// Row `index` of a matrix of floats.
const float* row_of(const at::Tensor& matrix, int64_t index);
/// Rows of `width` floats, one below the other.
at::Tensor stacked(const std::vector<const float*>& rows, int64_t width);

/// int64 [n] of any integers.
at::Tensor int_tensor(const std::vector<int32_t>& values);
at::Tensor int_tensor(const std::vector<int64_t>& values);

}  // namespace compeer::rollout
