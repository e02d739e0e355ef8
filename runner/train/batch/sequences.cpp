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

at::Tensor log_probs(rollout::Policy& policy, std::span<const Lesson> lessons) {
  Batch batch;
  std::vector<int32_t> tokens;
  std::vector<int64_t> rows, targets, runs;
  for (const Lesson& lesson : lessons) {
    const auto start = static_cast<int64_t>(tokens.size()), length = static_cast<int64_t>(lesson.tokens.size()) - 1;
    tokens.insert(tokens.end(), lesson.tokens.begin(), lesson.tokens.end() - 1);  // nothing follows the last token
    batch.segments.push_back({start, length, 0, -1, {}, 0, lesson.vision});
    runs.push_back(lesson.targets());
    for (const auto& [begin, end] : lesson.learned) {
      for (int64_t i = begin; i < end; ++i) rows.push_back(start + i - 1);
      targets.insert(targets.end(), lesson.tokens.begin() + begin, lesson.tokens.begin() + end);
    }
  }
  batch.tokens = rollout::int_tensor(tokens);
  const auto hidden = at::index_select(policy.model.forward(batch, nullptr), 0, rollout::int_tensor(rows));
  return policy.arithmetic.token_logprobs(hidden, policy.head, rollout::int_tensor(targets), 1.0, runs).log_prob;
}

}  // namespace compeer::train
