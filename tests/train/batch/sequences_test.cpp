#include "train/batch/sequences.h"

#include <ATen/core/grad_mode.h>

#include <limits>

#include "../small_model.h"

namespace compeer::train {
namespace {

std::vector<int64_t> list(const at::Tensor& t) {
  const auto* values = t.const_data_ptr<int64_t>();
  return {values, values + t.numel()};
}

// Prompt 5 6 7, completions "8 9" and "4": row 0 is token 8, rows 1-3 are the prompt. The last token of a completion
// needs no row.
TEST(PackedBatch, HangsCompletionsOffThePrompt) {
  PromptGroup group;
  group.prompt = {5, 6, 7};
  group.samples = {{{8, 9}, {-0.5f, -0.25f}, {}, true}, {{4}, {-1.0f}, {}, true}};
  const auto batch = group_batch(group);
  EXPECT_EQ(list(batch.batch.tokens), (std::vector<int64_t>{8, 5, 6, 7}));
  ASSERT_EQ(batch.batch.segments.size(), 2u);  // a completion of one token has no segment
  EXPECT_EQ(batch.batch.segments[0].start, 0);
  EXPECT_EQ(batch.batch.segments[0].length, 1);
  EXPECT_EQ(batch.batch.segments[0].position, 3);
  EXPECT_EQ(batch.batch.segments[0].parent, 1);
  EXPECT_EQ(batch.batch.segments[1].start, 1);
  EXPECT_EQ(batch.batch.segments[1].parent, -1);
  EXPECT_EQ(list(batch.rows), (std::vector<int64_t>{3, 0, 3}));  // 8 and 4 are predicted by the prompt's last row
  EXPECT_EQ(list(batch.targets), (std::vector<int64_t>{8, 9, 4}));
  EXPECT_EQ(batch.lengths, (std::vector<int64_t>{2, 1}));
  EXPECT_TRUE(at::equal(batch.sampled_log_probs, at::tensor({-0.5f, -0.25f, -1.0f})));
}

// Log-probabilities do not depend on the other sequences of the batch; tokens before `first` are not targets.
TEST_F(SmallModel, GivesALessonTheSameAmongOthers) {
  const at::NoGradGuard no_grad;
  const std::vector<TrainingSequence> lessons{{{1, 2, 3, 4, 5}, 1}, {{6, 7}, 1}, {{8, 9, 10, 11, 12, 13, 14}, 4}};
  std::vector<at::Tensor> alone;
  for (const TrainingSequence& lesson : lessons) alone.push_back(log_probs(policy, {&lesson, 1}));
  EXPECT_EQ(alone[0].numel(), 4);
  EXPECT_EQ(alone[1].numel(), 1);
  EXPECT_EQ(alone[2].numel(), 3);
  EXPECT_TRUE(at::equal(log_probs(policy, lessons), at::cat(alone)));
}

// Several target spans of one sequence give the same log-probabilities as all tokens as targets.
TEST_F(SmallModel, LearnsTurnsThatAreNotNeighbours) {
  const std::vector<int32_t> tokens{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const TrainingSequence turns(tokens, std::vector<TrainingSequence::Span>{{2, 4}, {6, 9}}), all(tokens, 1);
  EXPECT_EQ(turns.targets(), 5);
  const auto known = log_probs(policy, {&all, 1});  // of tokens 1, ..., 8
  EXPECT_TRUE(at::equal(log_probs(policy, {&turns, 1}), at::cat({known.slice(0, 1, 3), known.slice(0, 5, 8)})));
}

// "1 2 3 4 | 5 6", "1 2 3 4 | 7" and "1 2 9 8 7". Targets are 6, 7, and all of the last except 1. A target's row is
// that of the previous token: rows 1 to 4 are the shared prefix, after row 0 for token 5.
TEST(SequencePacker, HasWhatNeighboursBeginWithOnce) {
  const std::vector<TrainingSequence> lessons{{{1, 2, 3, 4, 5, 6}, 5}, {{1, 2, 3, 4, 7}, 4}, {{1, 2, 9, 8, 7}, 1}};
  const auto batch = pack_sequences(lessons, 3);
  EXPECT_EQ(list(batch.batch.tokens), (std::vector<int64_t>{5, 1, 2, 3, 4, 1, 2, 9, 8}));
  ASSERT_EQ(batch.batch.segments.size(), 3u);  // the second sequence has no rows besides the prefix
  EXPECT_EQ(batch.batch.segments[0].start, 0);
  EXPECT_EQ(batch.batch.segments[0].position, 4);
  EXPECT_EQ(batch.batch.segments[0].parent, 1);
  EXPECT_EQ(batch.batch.segments[1].length, 4);
  EXPECT_EQ(batch.batch.segments[1].parent, -1);
  EXPECT_EQ(batch.batch.segments[2].start, 5);
  EXPECT_EQ(batch.batch.segments[2].parent, -1);
  EXPECT_EQ(list(batch.rows), (std::vector<int64_t>{0, 4, 5, 6, 7, 8}));
  EXPECT_EQ(list(batch.targets), (std::vector<int64_t>{6, 7, 2, 9, 8, 7}));
  EXPECT_EQ(batch.lengths, (std::vector<int64_t>{1, 1, 4}));
}

// The third sequence shares two tokens with the others: three times two saves less than two times four.
TEST(SequencePacker, SharesWhatSparesMost) {
  const auto tokens = [](const std::vector<TrainingSequence>& lessons) {
    return pack_sequences(lessons, 2).batch.tokens.numel();
  };
  const std::vector<int32_t> one{1, 2, 3, 4, 5, 6}, other{1, 2, 3, 4, 7, 8}, third{1, 2, 9, 9, 9, 9};
  EXPECT_EQ(tokens({{one, 5}, {other, 5}}), 4 + 1 + 1);
  EXPECT_EQ(tokens({{one, 5}, {other, 5}, {third, 5}}), 4 + 1 + 1 + 5) << "with it 2 + 3 + 3 + 3";
  EXPECT_EQ(tokens({{one, 5}, {third, 5}}), 2 + 3 + 3);
  EXPECT_EQ(tokens({{one, 5}, {one, 5}}), 5) << "nothing is left of either";
  EXPECT_EQ(tokens({{one, 5}, {{9, 2, 3, 4, 5, 6}, 5}}), 5 + 5);
}

TEST(SequencePacker, SharesNoPictures) {
  const auto seen = std::make_shared<const VisionFeatures>();
  const TrainingSequence lesson({1, 2, 3, 4, 5, 6}, std::vector<TrainingSequence::Span>{{5, 6}}, seen);
  EXPECT_EQ(pack_sequences(std::vector<TrainingSequence>{lesson, lesson}, 1).batch.tokens.numel(), 10);
}

// Forward passes have the same bits, also for targets within the prefix; gradients differ by rounding only.
TEST_F(SmallModel, LearnsFromASharedBeginningWhatItLearnsFromCopies) {
  const std::vector<int32_t> beginning{5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<TrainingSequence> lessons;
  for (const std::vector<int32_t>& rest : {std::vector<int32_t>{20, 21, 22}, {23}, {24, 25, 26, 27, 28}, {20, 21}}) {
    auto tokens = beginning;
    tokens.insert(tokens.end(), rest.begin(), rest.end());
    lessons.emplace_back(tokens, std::vector<TrainingSequence::Span>{{2, 4}, {8, std::ssize(tokens)}});
  }
  std::vector<float> a;
  for (int i = 0; i < 4 * 2 + 3 + 1 + 5 + 2; ++i) a.push_back(0.3f * static_cast<float>(i % 5) - 0.5f);
  constexpr auto never = std::numeric_limits<int64_t>::max();
  const auto shared = log_probs(policy, lessons, 1), unshared = log_probs(policy, lessons, never);
  EXPECT_TRUE(at::equal(shared, unshared));
  const auto once = gradient(shared, a), many = gradient(unshared, a);
  EXPECT_LE((once - many).norm().item<double>(), 1e-6 * many.norm().item<double>());
}

// The prompt is computed once per group, forward and backward. Log-probabilities are the same; gradients differ by
// rounding only.
TEST_F(SmallModel, LearnsFromASharedPromptWhatItLearnsFromCopies) {
  PromptGroup group;
  group.prompt = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
  const std::vector<std::vector<int32_t>> completions{{20, 21, 22, 23}, {24}, {20, 25, 26, 27, 28, 29, 30}, {31, 32}};
  std::vector<TrainingSequence> copies;
  std::vector<float> a;
  for (const auto& tokens : completions) {
    rollout::Sample sample;
    sample.tokens = tokens;
    sample.log_probs.assign(tokens.size(), 0.0f);
    group.samples.push_back(sample);
    auto copy = group.prompt;
    copy.insert(copy.end(), tokens.begin(), tokens.end());
    copies.emplace_back(std::move(copy), static_cast<int64_t>(group.prompt.size()));
    for (size_t i = 0; i < tokens.size(); ++i) a.push_back(0.3f * static_cast<float>(a.size() % 5) - 0.5f);
  }
  const auto shared = log_probs(policy, group_batch(group), 1.0).log_prob, unshared = log_probs(policy, copies);
  EXPECT_TRUE(at::equal(shared, unshared));
  const auto once = gradient(shared, a), many = gradient(unshared, a);
  EXPECT_LE((once - many).norm().item<double>(), 1e-6 * many.norm().item<double>());
}

}  // namespace
}  // namespace compeer::train
