// A model whose layers see a window of the past: the engine forgets the rest, and nobody sees a difference.
#include "small_engine.h"

namespace compeer::rollout {
namespace {

constexpr int64_t window = 20, most_pages = 3;  // of 16 positions, those that 20 positions can touch

class Windowed : public RolloutEngine {
 protected:
  Windowed() : RolloutEngine("mistral", {{"sliding_window", window}, {"max_position_embeddings", 200}}) {}

  static Request long_request(int64_t group_size, int64_t concurrent) {
    Request request = request_for(group_size, concurrent);
    request.sampling.max_new_tokens = 90;
    request.end_tokens = {};
    return request;
  }
};

TEST_F(Windowed, RepliesHaveTheTrainersLogProbabilities) {
  for (const auto& [group, concurrent] : {std::pair{1, 1}, {3, 64}}) {
    const auto replies = generate(*policy, prompts, long_request(group, concurrent));
    for (size_t i = 0; i < prompts.size(); ++i) {
      for (const Sample& reply : replies[i]) {
        ASSERT_EQ(reply.tokens.size(), 90u);
        const auto theirs = trainer_log_probs(prompts[i].tokens, reply);
        EXPECT_TRUE(at::equal(at::tensor(reply.log_probs), theirs)) << i << ", groups of " << group;
      }
    }
  }
}

// Two layers: what stands further back than two windows can't matter.
TEST_F(Windowed, SeesNoFurtherThanItsWindow) {
  const auto text = numbers(3, 100);
  auto other = text;
  for (size_t i = 0; i < 60; ++i) other[i] = 1;
  const auto a = all_log_probs(text), b = all_log_probs(other);
  EXPECT_EQ(a.back(), b.back());
  EXPECT_NE(a[60], b[60]);
}

TEST_F(Windowed, AConversationHoldsThePagesOfItsWindow) {
  rollout::Engine engine(*policy);
  auto talk = engine.new_sequence();
  const auto text = numbers(3, 150);
  for (size_t from = 0; from < text.size(); from += 10) {
    engine.read({{0,
                  {text.begin() + static_cast<int64_t>(from), text.begin() + static_cast<int64_t>(from) + 10},
                  nullptr,
                  &talk}});
    EXPECT_LE(engine.pages().in_use(), most_pages) << from;
  }
  auto copy = talk;
  auto next = text;
  next.push_back(3);
  EXPECT_EQ(engine.score({{0, {3}, nullptr, &copy}})[0].at(0), all_log_probs(next).back());
}

TEST_F(Windowed, WhatItForgotIsReadAgainIfTheEndIsCutOff) {
  rollout::Engine engine(*policy);
  auto talk = engine.new_sequence();
  engine.read({{0, numbers(3, 80), nullptr, &talk}});
  engine.read({{0, numbers(1, 20), nullptr, &talk}});
  for (const int64_t count : {95, 60, 5}) {
    EXPECT_EQ(talk.keep(count), count);
    std::vector<int32_t> next = talk.tokens();
    next.push_back(3);
    EXPECT_EQ(engine.score({{0, {3}, nullptr, &talk}})[0].at(0), all_log_probs(next).back()) << count;
  }
}

}  // namespace
}  // namespace compeer::rollout
