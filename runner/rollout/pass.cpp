// Collects segments of several sequences into a batch and calls the model.
#include "rollout/pass.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace compeer::rollout {

namespace {

template <class T>
at::Tensor copied(const std::vector<T>& values) {
  auto tensor = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(tensor.data_ptr()));
  return tensor;
}

}  // namespace

int64_t Pass::add(CachedSequence& conversation, int64_t count) {
  const int64_t row = rows(), from = conversation.size() - conversation.unread();
  const auto first = conversation.tokens().begin() + from;
  tokens_.insert(tokens_.end(), first, first + count);
  batch_.segments.push_back(conversation.read(count, row));
  return row;
}

std::vector<TokenChunk> Pass::add(const std::vector<CachedSequence*>& waiting) {
  std::vector<TokenChunk> portions;
  for (size_t i = 0; i < waiting.size() && rows() < most_rows_; ++i) {
    if (waiting[i]->unread() == 0) continue;
    const int64_t count = waiting[i]->chunk_size(most_rows_ - rows());
    if (!portions.empty() && rows() + count > most_rows_) break;  // images can't be split
    const int64_t from = waiting[i]->size() - waiting[i]->unread();
    portions.push_back({i, from, count, add(*waiting[i], count)});
  }
  return portions;
}

at::Tensor Pass::run_for_last() {
  batch_.last_only = true;
  const auto hidden = run();
  batch_.last_only = false;
  return hidden;
}

at::Tensor Pass::run() {
  batch_.tokens = at::empty({rows()}, at::kLong);
  std::copy(tokens_.begin(), tokens_.end(), static_cast<int64_t*>(batch_.tokens.mutable_data_ptr()));
  auto hidden = policy_.forward(batch_, &pages_.cache());
  batch_.segments.clear();
  tokens_.clear();
  return hidden;
}

const float* row_of(const at::Tensor& matrix, int64_t index) {
  return static_cast<const float*>(matrix.const_data_ptr()) + index * matrix.size(1);
}

at::Tensor stacked(const std::vector<const float*>& rows, int64_t width) {
  at::Tensor matrix = at::empty({static_cast<int64_t>(rows.size()), width}, at::kFloat);
  auto* out = static_cast<float*>(matrix.mutable_data_ptr());
  for (const float* row : rows) out = std::copy_n(row, width, out);
  return matrix;
}

at::Tensor int_tensor(const std::vector<int32_t>& values) { return copied(values); }
at::Tensor int_tensor(const std::vector<int64_t>& values) { return copied(values); }

}  // namespace compeer::rollout
