#include "rollout/cached_sequence.h"

#include <algorithm>

namespace compeer::rollout {

void CachedSequence::append(std::span<const int32_t> tokens, std::shared_ptr<const VisionFeatures> vision) {
  const int64_t start = size();
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  if (vision) seen_.push_back({start, size(), std::move(vision)});
}

int64_t CachedSequence::keep(int64_t count, std::span<const float> state) {
  count = std::min(count, size());
  const int64_t wanted = count;
  while (!seen_.empty() && seen_.back().end > count) {
    count = std::min(count, seen_.back().start);
    seen_.pop_back();
  }
  tokens_.resize(static_cast<size_t>(count));
  if (!state.empty() && count == wanted && count <= context_.length()) {
    context_.cut(count);
    last_.assign(state.begin(), state.end());
    return count;
  }
  // The last token that is left is read again: what comes next is drawn from it.
  const int64_t again = !seen_.empty() && seen_.back().end == count ? seen_.back().start : count - 1;
  if (count < context_.length()) context_.cut(std::max<int64_t>(again, 0));
  return count;
}

int64_t CachedSequence::portion(int64_t most) const {
  const int64_t from = context_.length();
  if (const Seen* run = seen_from(from))
    return run->start == from ? run->end - from : std::min(most, run->start - from);
  return std::min(most, unread());
}

Segment CachedSequence::read(int64_t count, int64_t row) {
  const int64_t from = context_.length();
  const Seen* run = seen_from(from);
  context_.extend(count);
  return {row,     count, from, -1, context_.pages(), shift(from), run && run->start == from ? run->vision : nullptr,
          adapter_};
}

// Rotary less absolute position behind the last run with pictures that ends before `position`.
int64_t CachedSequence::shift(int64_t position) const {
  int64_t result = 0;
  for (const Seen& run : seen_) {
    if (run.end <= position) result = run.vision->next - run.end;
  }
  return result;
}

// The first run with pictures that is yet to be read.
const CachedSequence::Seen* CachedSequence::seen_from(int64_t position) const {
  for (const Seen& run : seen_) {
    if (run.start >= position) return &run;
  }
  return nullptr;
}

}  // namespace compeer::rollout
