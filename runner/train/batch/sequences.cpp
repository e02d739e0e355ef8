// Packs completions of a prompt, or sequences for supervised training, into batches in which a common prefix is stored
// and computed once.
#include "train/batch/sequences.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "rollout/pass.h"

namespace compeer::train {

PackedBatch group_batch(const PromptGroup& group) {
  PackedBatch result;
  auto& segments = result.batch.segments;
  const auto prompt = static_cast<int64_t>(group.prompt.size());
  const int64_t shift = group.vision ? group.vision->next - prompt : 0;
  int64_t last = prompt - 1;  // row of the prompt's last token; the prompt's rows follow those of all completions
  for (const auto& sample : group.samples) last += static_cast<int64_t>(sample.tokens.size()) - 1;
  std::vector<int32_t> tokens;
  std::vector<int64_t> rows, targets;
  std::vector<float> log_probs;
  for (const auto& sample : group.samples) {
    const auto length = static_cast<int64_t>(sample.tokens.size());
    const auto start = static_cast<int64_t>(tokens.size());
    rows.push_back(last);  // it predicts the first token
    for (int64_t i = 0; i + 1 < length; ++i) rows.push_back(start + i);
    targets.insert(targets.end(), sample.tokens.begin(), sample.tokens.end());
    log_probs.insert(log_probs.end(), sample.log_probs.begin(), sample.log_probs.end());
    tokens.insert(tokens.end(), sample.tokens.begin(), sample.tokens.end() - 1);  // the last token predicts nothing
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

kernels::TokenLogprobs log_probs(rollout::Policy& policy, const PackedBatch& batch, double temperature) {
  const auto hidden = at::index_select(policy.model.forward(batch.batch, nullptr), 0, batch.rows);
  return policy.arithmetic.token_logprobs(hidden, policy.head, batch.targets, temperature, batch.lengths);
}

TrainingSequence::TrainingSequence(std::vector<int32_t> all, int64_t first) : tokens(std::move(all)) {
  target_spans = {{first, static_cast<int64_t>(tokens.size())}};
}

TrainingSequence::TrainingSequence(std::vector<int32_t> all, std::vector<Span> spans,
                                   std::shared_ptr<const VisionFeatures> seen)
    : tokens(std::move(all)), target_spans(std::move(spans)), vision(std::move(seen)) {}

int64_t TrainingSequence::targets() const {
  return std::accumulate(target_spans.begin(), target_spans.end(), int64_t{0},
                         [](int64_t sum, const Span& span) { return sum + span.end - span.begin; });
}

namespace {

// Consecutive sequences with a common prefix.
struct Neighbours {
  std::span<const TrainingSequence> lessons;
  int64_t shared;  // length of the prefix in tokens; 0 for a single sequence
};

int64_t rows_of(const TrainingSequence& lesson) {
  return static_cast<int64_t>(lesson.tokens.size()) - 1;  // the last token predicts nothing
}

// Length of the common prefix; 0 if a sequence has images.
int64_t alike(const TrainingSequence& a, const TrainingSequence& b) {
  if (a.vision || b.vision) return 0;
  const auto most = std::min(rows_of(a), rows_of(b));
  return std::mismatch(a.tokens.begin(), a.tokens.begin() + most, b.tokens.begin()).first - a.tokens.begin();
}

// Divides the sequences into runs with a common prefix. A sequence joins the run before it if this increases the number
// of tokens that need not be computed again.
std::vector<Neighbours> neighbours_in(std::span<const TrainingSequence> lessons, int64_t shared_from) {
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

// Builds the batch: for each run, the rest of every sequence after the prefix, then the prefix.
class SequencePacker {
 public:
  void add(const Neighbours& some) {
    int64_t beginning = std::ssize(tokens_);  // first row of the prefix
    for (const TrainingSequence& lesson : some.lessons) beginning += rows_of(lesson) - some.shared;
    const size_t first = segments_.size();
    for (const TrainingSequence& lesson : some.lessons) {
      const int64_t start = std::ssize(tokens_), length = rows_of(lesson) - some.shared;
      tokens_.insert(tokens_.end(), lesson.tokens.begin() + some.shared, lesson.tokens.end() - 1);
      if (length > 0) segments_.push_back({start, length, some.shared, -1, {}, 0, lesson.vision});
      append_targets(lesson, [&](int64_t i) { return i < some.shared ? beginning + i : start + i - some.shared; });
    }
    if (some.shared == 0) return;
    const std::span children(segments_.begin() + static_cast<ptrdiff_t>(first), segments_.end());
    for (Segment& child : children) child.parent = std::ssize(segments_);
    segments_.push_back({beginning, some.shared, 0, -1, {}, 0, nullptr});
    const auto& tokens = some.lessons.front().tokens;
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.begin() + some.shared);
  }

  PackedBatch finish() {
    return {{rollout::int_tensor(tokens_), std::move(segments_)},
            rollout::int_tensor(rows_),
            rollout::int_tensor(targets_),
            {},
            std::move(lengths_)};
  }

 private:
  template <class Place>
  void append_targets(const TrainingSequence& lesson, Place&& row_of) {
    lengths_.push_back(lesson.targets());
    for (const auto& [begin, end] : lesson.target_spans) {
      for (int64_t i = begin; i < end; ++i) rows_.push_back(row_of(i - 1));
      targets_.insert(targets_.end(), lesson.tokens.begin() + begin, lesson.tokens.begin() + end);
    }
  }

  std::vector<Segment> segments_;
  std::vector<int32_t> tokens_;
  std::vector<int64_t> rows_, targets_, lengths_;
};

template <class T>
int64_t size_of(const std::vector<T>& list) {
  return static_cast<int64_t>(list.size());
}

// Token span of an assistant's turn of the history.
TrainingSequence::Span span_of(RunPlugins& plugins, const PromptGroup& group, size_t turn,
                               const std::vector<int32_t>& tokens) {
  const Example& example = group.example;
  const std::vector<Turn> before(group.turns.begin(), group.turns.begin() + static_cast<ptrdiff_t>(turn));
  auto until = plugins.vision_input().prompt(plugins.chat(), before, group.pictures, example.id);
  const int64_t begin = size_of(until);
  const auto said = plugins.chat().answer(group.turns[turn].text);
  until.insert(until.end(), said.begin(), said.end());
  if (until.size() > tokens.size() || !std::equal(until.begin(), until.end(), tokens.begin()))
    throw Error(example.id,
                "can't train on earlier answers: the chat template formats them differently from the last one",
                "use a chat template that formats all answers alike", Exit::data);
  return {begin, size_of(until)};
}

// Spans of the answer and of the assistant's last turns, Example::target_turns in all.
std::vector<TrainingSequence::Span> spans_of(RunPlugins& plugins, const PromptGroup& group,
                                             const std::vector<int32_t>& tokens) {
  std::vector<TrainingSequence::Span> spans{{size_of(group.prompt), size_of(tokens)}};
  for (size_t turn = group.turns.size(); turn > 0 && size_of(spans) < group.example.target_turns; --turn) {
    if (group.turns[turn - 1].role == "assistant") spans.push_back(span_of(plugins, group, turn - 1, tokens));
  }
  std::reverse(spans.begin(), spans.end());
  return spans;
}

// Spans of all tokens but the first and image placeholders.
std::vector<TrainingSequence::Span> texts_of(const inference::VisionInput& vision_input,
                                             const std::vector<int32_t>& tokens) {
  std::vector<TrainingSequence::Span> spans;
  for (int64_t i = 1; i < size_of(tokens); ++i) {
    if (vision_input.is_placeholder(tokens[static_cast<size_t>(i)])) continue;
    if (spans.empty() || spans.back().end != i) spans.push_back({i, i});
    ++spans.back().end;
  }
  return spans;
}

}  // namespace

TrainingSequence make_training_sequence(RunPlugins& plugins, const PromptGroup& group, bool all) {
  auto tokens = group.prompt;
  const auto answer = plugins.chat().answer(group.example.answer);
  tokens.insert(tokens.end(), answer.begin(), answer.end());
  const auto read = std::span(tokens).first(tokens.size() - 1);  // the last token predicts nothing
  auto vision = plugins.vision_input().compute_vision(read, 0, 0, group.pictures);
  auto spans = all ? texts_of(plugins.vision_input(), tokens) : spans_of(plugins, group, tokens);
  return {std::move(tokens), std::move(spans), std::move(vision)};
}

PackedBatch pack_sequences(std::span<const TrainingSequence> lessons, int64_t min_shared_prefix) {
  SequencePacker all;
  for (const Neighbours& some : neighbours_in(lessons, min_shared_prefix)) all.add(some);
  return all.finish();
}

at::Tensor log_probs(rollout::Policy& policy, std::span<const TrainingSequence> lessons, int64_t min_shared_prefix) {
  return log_probs(policy, pack_sequences(lessons, min_shared_prefix), 1.0).log_prob;
}

}  // namespace compeer::train
