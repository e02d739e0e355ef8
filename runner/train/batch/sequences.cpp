#include "train/batch/sequences.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>
#include <numeric>

#include "rollout/int_tensor.h"

namespace compeer::train {

GroupBatch group_batch(const PromptGroup& group) {
  GroupBatch result;
  auto& segments = result.batch.segments;
  const auto prompt = static_cast<int64_t>(group.prompt.size());
  const int64_t shift = group.vision ? group.vision->next - prompt : 0;
  int64_t last = prompt - 1;  // the row of the prompt's last token: after those of all completions
  for (const auto& sample : group.samples) last += static_cast<int64_t>(sample.tokens.size()) - 1;
  std::vector<int32_t> tokens;
  std::vector<int64_t> rows, targets;
  std::vector<float> log_probs;
  for (const auto& sample : group.samples) {
    const auto length = static_cast<int64_t>(sample.tokens.size());
    const auto start = static_cast<int64_t>(tokens.size());
    rows.push_back(last);  // predicts the first token
    for (int64_t i = 0; i + 1 < length; ++i) rows.push_back(start + i);
    targets.insert(targets.end(), sample.tokens.begin(), sample.tokens.end());
    log_probs.insert(log_probs.end(), sample.log_probs.begin(), sample.log_probs.end());
    tokens.insert(tokens.end(), sample.tokens.begin(), sample.tokens.end() - 1);  // nothing follows the last token
    if (length > 1) segments.push_back({start, length - 1, prompt, -1, {}, shift});
    result.lengths.push_back(length);
  }
  for (Segment& segment : segments) segment.parent = static_cast<int64_t>(segments.size());
  segments.push_back({static_cast<int64_t>(tokens.size()), prompt, 0, -1, {}, 0, group.vision});
  tokens.insert(tokens.end(), group.prompt.begin(), group.prompt.end());
  result.batch.tokens = rollout::int_tensor(tokens);
  result.rows = rollout::int_tensor(rows);
  result.targets = rollout::int_tensor(targets);
  result.sampled_log_probs = at::empty({static_cast<int64_t>(log_probs.size())}, at::kFloat);
  std::copy(log_probs.begin(), log_probs.end(), static_cast<float*>(result.sampled_log_probs.data_ptr()));
  return result;
}

kernels::TokenLogprobs log_probs(rollout::Policy& policy, const GroupBatch& batch, double temperature) {
  const auto hidden = at::index_select(policy.model.forward(batch.batch, nullptr), 0, batch.rows);
  return policy.arithmetic.token_logprobs(hidden, policy.head, batch.targets, temperature, batch.lengths);
}

Lesson::Lesson(std::vector<int32_t> all, int64_t first) : tokens(std::move(all)) {
  learned = {{first, static_cast<int64_t>(tokens.size())}};
}

Lesson::Lesson(std::vector<int32_t> all, std::vector<Span> spans, std::shared_ptr<const VisionFeatures> seen)
    : tokens(std::move(all)), learned(std::move(spans)), vision(std::move(seen)) {}

int64_t Lesson::targets() const {
  return std::accumulate(learned.begin(), learned.end(), int64_t{0},
                         [](int64_t sum, const Span& span) { return sum + span.end - span.begin; });
}

namespace {

// Lessons that follow each other and begin alike.
struct Neighbours {
  std::span<const Lesson> lessons;
  int64_t shared;  // tokens that they begin with; of one alone none
};

int64_t rows_of(const Lesson& lesson) {
  return static_cast<int64_t>(lesson.tokens.size()) - 1;  // nothing follows the last token
}

int64_t alike(const Lesson& a, const Lesson& b) {
  if (a.vision || b.vision) return 0;
  const auto most = std::min(rows_of(a), rows_of(b));
  return std::mismatch(a.tokens.begin(), a.tokens.begin() + most, b.tokens.begin()).first - a.tokens.begin();
}

// A lesson joins those before it if that spares more tokens than they spare without it.
std::vector<Neighbours> neighbours_in(std::span<const Lesson> lessons, int64_t shared_from) {
  std::vector<Neighbours> all;
  for (size_t i = 0; i < lessons.size(); ++i) {
    if (i > 0) {
      auto& [members, shared] = all.back();
      const auto before = std::ssize(members);
      const auto with_first = alike(members.front(), lessons[i]);
      const auto common = before > 1 ? std::min(with_first, shared) : with_first;
      if (common >= shared_from && before * common > (before - 1) * shared) {
        members = {&members.front(), members.size() + 1};
        shared = common;
        continue;
      }
    }
    all.push_back({lessons.subspan(i, 1), 0});
  }
  return all;
}

// Of neighbours what follows the shared beginning, lesson after lesson, and then this.
class LessonBatch {
 public:
  void add(const Neighbours& some) {
    int64_t beginning = std::ssize(tokens_);  // its first row
    for (const Lesson& lesson : some.lessons) beginning += rows_of(lesson) - some.shared;
    const size_t first = segments_.size();
    for (const Lesson& lesson : some.lessons) {
      const int64_t start = std::ssize(tokens_), length = rows_of(lesson) - some.shared;
      tokens_.insert(tokens_.end(), lesson.tokens.begin() + some.shared, lesson.tokens.end() - 1);
      if (length > 0) segments_.push_back({start, length, some.shared, -1, {}, 0, lesson.vision});
      learn(lesson, [&](int64_t i) { return i < some.shared ? beginning + i : start + i - some.shared; });
    }
    if (some.shared == 0) return;
    const std::span children(segments_.begin() + static_cast<ptrdiff_t>(first), segments_.end());
    for (Segment& child : children) child.parent = std::ssize(segments_);
    segments_.push_back({beginning, some.shared, 0, -1, {}, 0, nullptr});
    const auto& tokens = some.lessons.front().tokens;
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.begin() + some.shared);
  }

  GroupBatch finish() {
    return {{rollout::int_tensor(tokens_), std::move(segments_)},
            rollout::int_tensor(rows_),
            rollout::int_tensor(targets_),
            {},
            std::move(lengths_)};
  }

 private:
  template <class Place>
  void learn(const Lesson& lesson, Place&& row_of) {
    lengths_.push_back(lesson.targets());
    for (const auto& [begin, end] : lesson.learned) {
      for (int64_t i = begin; i < end; ++i) rows_.push_back(row_of(i - 1));
      targets_.insert(targets_.end(), lesson.tokens.begin() + begin, lesson.tokens.begin() + end);
    }
  }

  std::vector<Segment> segments_;
  std::vector<int32_t> tokens_;
  std::vector<int64_t> rows_, targets_, lengths_;
};

}  // namespace

GroupBatch lesson_batch(std::span<const Lesson> lessons, int64_t shared_from) {
  LessonBatch all;
  for (const Neighbours& some : neighbours_in(lessons, shared_from)) all.add(some);
  return all.finish();
}

at::Tensor log_probs(rollout::Policy& policy, std::span<const Lesson> lessons, int64_t shared_from) {
  return log_probs(policy, lesson_batch(lessons, shared_from), 1.0).log_prob;
}

}  // namespace compeer::train
