#include "rollout/engine.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "small_engine.h"

namespace compeer::rollout {
namespace {

TEST_F(RolloutEngine, ContinuesAConversationAsIfItWereNew) {
  rollout::Engine engine(*policy);
  auto talk = engine.new_sequence();
  const auto request = request_for(1, 1);
  std::vector<int32_t> text;
  for (uint32_t turn = 0; turn < 3; ++turn) {
    const auto said = numbers(static_cast<int32_t>(11 * turn), 5);
    text.insert(text.end(), said.begin(), said.end());
    const auto answer = engine.generate({{turn, said, nullptr, &talk}}, request)[0][0];
    EXPECT_TRUE(same(answer, run({{turn, text}}, 1)[0][0])) << turn;
    text.insert(text.end(), answer.tokens.begin(), answer.tokens.end());
    EXPECT_EQ(talk.tokens(), text);
    if (text.size() > 40) break;
  }
  EXPECT_LE(engine.pages().in_use(), 4);
}

TEST_F(RolloutEngine, LetsSeveralConversationsShareTheirBeginning) {
  rollout::Engine engine(*policy);
  auto common = engine.new_sequence();
  const auto beginning = numbers(1, 21);
  engine.read({{0, beginning, nullptr, &common}});
  EXPECT_EQ(engine.pages().in_use(), 2);
  std::vector<CachedSequence> talks(3, common);
  std::vector<Prompt> turns;
  for (uint32_t i = 0; i < 3; ++i) turns.push_back({i, {static_cast<int32_t>(i), 40}, nullptr, &talks[i]});
  const auto together = engine.generate(turns, request_for(1, 3));
  for (uint32_t i = 0; i < 3; ++i) {
    auto whole = beginning;
    whole.insert(whole.end(), {static_cast<int32_t>(i), 40});
    EXPECT_TRUE(same(together[i][0], run({{i, whole}}, 1)[0][0])) << i;
  }
  EXPECT_EQ(common.tokens(), beginning);
  EXPECT_LE(engine.pages().in_use(), 2 + 3 * 2);  // all completions share the full page
}

TEST_F(RolloutEngine, ScoresContinuationsOfAConversation) {
  rollout::Engine engine(*policy);
  auto talk = engine.new_sequence();
  auto text = numbers(4, 18);
  engine.read({{0, text, nullptr, &talk}});
  const auto check = [&] {
    const auto scores = engine.score({{0, {5, 6, 7}, nullptr, &talk}, {1, {50}, nullptr, &talk}});
    auto first = text, second = text;
    first.insert(first.end(), {5, 6, 7}), second.push_back(50);
    const auto a = all_log_probs(first), b = all_log_probs(second);
    EXPECT_EQ(scores[0], std::vector<float>(a.end() - 3, a.end()));
    EXPECT_EQ(scores[1], std::vector<float>(b.end() - 1, b.end()));
    EXPECT_EQ(talk.tokens(), text);
  };
  check();
  const auto answer = engine.generate({{0, {9}, nullptr, &talk}}, request_for(1, 1))[0][0];
  text = talk.tokens();
  EXPECT_EQ(text.size(), 19 + answer.tokens.size());
  check();  // the last token of the answer is not in the cache yet
}

TEST_F(RolloutEngine, ForgetsTheEndOfAConversation) {
  rollout::Engine engine(*policy);
  auto talk = engine.new_sequence();
  engine.read({{0, numbers(4, 40), nullptr, &talk}});
  auto copy = talk;
  for (const int64_t count : {33, 32, 20, 1}) {
    EXPECT_EQ(talk.truncate(count), count);
    const auto whole = numbers(4, static_cast<int32_t>(count));
    EXPECT_EQ(talk.tokens(), whole);
    auto next = whole;
    next.push_back(3);
    EXPECT_EQ(engine.score({{0, {3}, nullptr, &talk}})[0].at(0), all_log_probs(next).back()) << count;
    EXPECT_EQ(engine.generate({{0, {}, nullptr, &talk}}, request_for(1, 1))[0][0].tokens,
              run({{0, whole}}, 1)[0][0].tokens);
  }
  EXPECT_EQ(engine.score({{0, {3}, nullptr, &copy}})[0].size(), 1u);  // the copy is unchanged
  auto whole = numbers(4, 40);
  whole.push_back(3);
  EXPECT_EQ(engine.score({{0, {3}, nullptr, &copy}})[0][0], all_log_probs(whole).back());
}

// The first three draft tokens of the answer are right, the fourth is wrong.
TEST_F(RolloutEngine, ChoosesWhereItIsAskedWhatItWouldSay) {
  for (const bool greedy : {true, false}) {
    auto request = request_for(1, 1);
    request.sampling.greedy = greedy;
    rollout::Engine engine(*policy);
    auto talk = engine.new_sequence();
    const auto prompt = numbers(4, 18);
    const auto said = engine.generate({{3, prompt}}, request)[0][0];
    ASSERT_GT(said.tokens.size(), 5u);
    engine.read({{0, {prompt.begin(), prompt.begin() + 10}, nullptr, &talk}});
    DraftTokens guess{&talk, {prompt.begin() + 10, prompt.end()}, {}};
    guess.tokens.insert(guess.tokens.end(), said.tokens.begin(), said.tokens.begin() + 3);
    guess.tokens.push_back((said.tokens[3] + 1) % 90);
    for (uint32_t i = 0; i < 5; ++i) guess.positions.push_back({18 + i, {request.seed, request.step, 3, 0, i}});
    auto alone = talk;
    const auto chosen = engine.verify({guess}, request.sampling)[0];
    ASSERT_EQ(chosen.size(), 5u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(chosen[i].token.id, said.tokens[i]) << i;
      EXPECT_EQ(chosen[i].token.log_prob, said.log_probs[i]) << i;
    }
    EXPECT_EQ(talk.truncate(21, chosen[3].state), 21);
    EXPECT_EQ(talk.unread(), 0) << "what is known is not read again";
    const auto rest =
        engine.verify({{&talk, {said.tokens[3]}, {guess.positions[3], guess.positions[4]}}}, request.sampling);
    EXPECT_EQ(rest[0][0].token.id, said.tokens[3]) << "out of what was kept";
    EXPECT_EQ(rest[0][1].token.log_prob, said.log_probs[4]);
    guess.context = &alone;
    auto other = guess;
    auto long_one = engine.new_sequence();
    other.context = &long_one;
    other.tokens.insert(other.tokens.begin(), prompt.begin(), prompt.begin() + 10);
    const auto together = engine.verify({other, guess}, request.sampling);
    for (size_t i = 0; i < 5; ++i) {
      for (const auto& one : together) EXPECT_EQ(one[i].token.log_prob, chosen[i].token.log_prob) << i;
    }
  }
}

TEST_F(RolloutEngine, ChoosesNamesAModelThatIsBroken) {
  model->object().parameters().back().value.detach().fill_(std::numeric_limits<float>::quiet_NaN());
  policy->parameters_changed();
  rollout::Engine engine(*policy);
  auto talk = engine.new_sequence();
  EXPECT_THROW(engine.verify({{&talk, {1, 2}, {{2, {0, 0, 9, 0, 0}}}}}, {}), Error);
}

// A model with sliding-window attention: the engine frees pages outside the window, without any effect on results.

constexpr int64_t window = 20, most_pages = 3;  // pages of 16 positions that a window of 20 positions can overlap

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

// With two layers, tokens further back than two windows have no effect.
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
    EXPECT_EQ(talk.truncate(count), count);
    std::vector<int32_t> next = talk.tokens();
    next.push_back(3);
    EXPECT_EQ(engine.score({{0, {3}, nullptr, &talk}})[0].at(0), all_log_probs(next).back()) << count;
  }
}

}  // namespace
}  // namespace compeer::rollout
