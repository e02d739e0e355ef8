#include "rollout/drafts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "small_engine.h"

namespace compeer::rollout {
namespace {

using Tokens = std::vector<int32_t>;

void learn(NgramDrafts& drafts, const Tokens& text) {
  for (size_t end = 1; end <= text.size(); ++end) drafts.add(std::span(text).first(end));
}

TEST(NgramDrafts, GuessesWhatWasSaidMoreThanOnce) {
  NgramDrafts drafts;
  const Tokens text{5, 6, 7, 8, 9, 10};
  learn(drafts, text);
  EXPECT_EQ(drafts.propose(Tokens{5, 6, 7}, 8), Tokens{});
  learn(drafts, text);
  EXPECT_EQ(drafts.propose(Tokens{5, 6, 7}, 8), (Tokens{8, 9, 10}));
  EXPECT_EQ(drafts.propose(Tokens{1, 1, 5, 6, 7}, 2), (Tokens{8, 9}));
  EXPECT_EQ(drafts.propose(Tokens{6, 5, 7}, 8), Tokens{});
  EXPECT_EQ(drafts.propose(Tokens{6, 7}, 8), Tokens{});
  EXPECT_EQ(drafts.propose(Tokens{5, 6, 7}, 0), Tokens{});
}

TEST(NgramDrafts, FollowWhatIsSaidOfLate) {
  NgramDrafts drafts;
  for (int i = 0; i < 100; ++i) learn(drafts, {5, 6, 7, 8});
  for (int i = 0; i < 12; ++i) learn(drafts, {5, 6, 7, 9});
  EXPECT_EQ(drafts.propose(Tokens{5, 6, 7}, 1), Tokens{9});
  learn(drafts, {5, 6, 7, 8});
  EXPECT_EQ(drafts.propose(Tokens{5, 6, 7}, 1), Tokens{9});
}

TEST(NgramDrafts, GoRoundInCircles) {
  NgramDrafts drafts;
  learn(drafts, {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  EXPECT_EQ(drafts.propose(Tokens{1, 2, 3}, 7), (Tokens{1, 2, 3, 1, 2, 3, 1}));
}

// Returns the draft length that is used most in 1,000 passes, if a pass over `rows` rows takes seconds(rows) and the
// first `right` draft tokens of each sequence are accepted.
int64_t settled(int64_t sequences, int64_t right, double (*seconds)(int64_t rows)) {
  DraftLength length;
  std::map<int64_t, int> used;
  for (int pass = 0; pass < 1000; ++pass) {
    const int64_t guessed = length.next(sequences);
    ++used[guessed];
    length.record(sequences * (1 + std::min(guessed, right)), seconds(sequences * (1 + guessed)));
  }
  const auto best = std::max_element(used.begin(), used.end(), [](auto& a, auto& b) { return a.second < b.second; });
  EXPECT_GT(best->second, 900);
  return best->first;
}

TEST(DraftLength, IsWhatGivesMostTokensASecond) {
  const auto always_the_same = [](int64_t) { return 1.0; };
  const auto by_rows = [](int64_t rows) { return 0.1 * static_cast<double>(rows); };
  const auto by_rows_from_eight = [](int64_t rows) { return static_cast<double>(std::max<int64_t>(rows, 8)); };
  EXPECT_EQ(settled(1, 7, always_the_same), 7);
  EXPECT_EQ(settled(1, 1, by_rows_from_eight), 1);
  EXPECT_EQ(settled(4, 7, by_rows_from_eight), 1);
  EXPECT_EQ(settled(2, 7, by_rows_from_eight), 3);
  EXPECT_EQ(settled(8, 0, by_rows), 0);
}

TEST(DraftLength, LeavesAFullPassAlone) {
  DraftLength length(7);
  EXPECT_EQ(length.next(1), 7);
  EXPECT_EQ(length.next(8), 7);
  EXPECT_EQ(length.next(16), 3);
  EXPECT_EQ(length.next(32), 1);
  EXPECT_EQ(length.next(33), 0);
  EXPECT_EQ(length.next(64), 0);
  EXPECT_EQ(length.next(1000), 0);
}

TEST(DraftLength, TriesAgainWhatDidNotPay) {
  DraftLength length;
  int64_t right = 0;
  const auto pass = [&] {
    const int64_t guessed = length.next(1);
    length.record(1 + std::min(guessed, right), 1.0 + 0.01 * static_cast<double>(guessed));
    return guessed;
  };
  for (int i = 0; i < 500; ++i) pass();
  EXPECT_EQ(pass() + pass(), 0);
  right = 7;
  for (int i = 0; i < 500; ++i) pass();
  EXPECT_GE(pass() + pass(), 7);
}

// Speculative decoding: the completions are the same, only with fewer passes.

struct Said {
  std::vector<std::vector<Sample>> groups;
  int passes = 0;
};

class Guessing : public RolloutEngine {
 protected:
  // Samples the same completions four times, so that the draft table learns them; returns the last ones.
  Said said(int64_t ahead, Request request) {
    Policy fresh(model->object());
    fresh.draft_length = DraftLength(ahead);
    Said result;
    for (int time = 0; time < 4; ++time) {
      result.passes = 0;
      request.progress = [&result] { ++result.passes; };
      result.groups = generate(fresh, prompts, request);
    }
    return result;
  }

  void expect_the_same(const Request& request) {
    const Said plain = said(0, request);
    for (const int64_t ahead : {1, 3, 7}) {
      const Said guessed = said(ahead, request);
      for (size_t g = 0; g < prompts.size(); ++g) {
        for (size_t c = 0; c < plain.groups[g].size(); ++c) {
          const Sample &a = guessed.groups[g][c], &b = plain.groups[g][c];
          EXPECT_TRUE(same(a, b) && a.entropies == b.entropies && a.finished == b.finished)
              << g << " " << c << ", " << ahead << " ahead";
        }
      }
      EXPECT_LT(guessed.passes, plain.passes) << ahead;
    }
  }
};

TEST_F(Guessing, ChangesNothingThatIsSaid) {
  for (const int64_t concurrent : {1, 3, 16}) expect_the_same(request_for(3, concurrent));
}

TEST_F(Guessing, LeavesGreedyRepliesAndFiltersAsTheyAre) {
  Request request = request_for(1, 2);
  request.sampling.greedy = true;
  expect_the_same(request);
  request.sampling.greedy = false;
  request.sampling.top_k = 5;
  request.sampling.top_p = 0.9;
  request.sampling.repetition_penalty = 1.3;
  expect_the_same(request);
}

TEST_F(Guessing, LeavesRulesTheirTokensOneByOne) {
  Request request = request_for(3, 2);
  std::vector<int32_t> seen;
  request.rules = [&seen](uint32_t) {
    return CompletionRules{[&seen, count = 0](int32_t id) mutable {
                             seen.push_back(id);
                             return ++count == 9;
                           },
                           [](std::span<float> logits) { logits[3] = -1e30f; }};
  };
  expect_the_same(request);
  seen.clear();
  size_t said_tokens = 0;
  for (const auto& group : said(7, request).groups) {
    for (const Sample& sample : group) said_tokens += sample.tokens.size() - (sample.tokens.back() == 7 ? 1 : 0);
  }
  EXPECT_EQ(seen.size(), 4 * said_tokens);
}

TEST_F(Guessing, ReachesTheLastPositionAndNotBeyond) {
  Request request = request_for(2, 2);
  request.sampling.max_new_tokens = 1000;
  request.end_tokens = {};
  expect_the_same(request);
  EXPECT_EQ(said(7, request).groups[0][0].tokens.size(), 61u);
}

TEST_F(Guessing, LeavesAConversationThatGoesOn) {
  policy->draft_length = DraftLength(7);
  Engine engine(*policy);
  std::vector<CachedSequence> talks(4, engine.new_sequence());
  for (CachedSequence& talk : talks) {
    std::vector<int32_t> text;
    for (uint32_t turn = 0; turn < 2; ++turn) {
      const auto asked = numbers(static_cast<int32_t>(11 * turn), 5);
      text.insert(text.end(), asked.begin(), asked.end());
      const auto answer = engine.generate({{turn, asked, nullptr, &talk}}, request_for(1, 1))[0][0];
      Policy fresh(model->object());
      fresh.draft_length = DraftLength(0);
      EXPECT_TRUE(same(answer, generate(fresh, {{turn, text}}, request_for(1, 1))[0][0])) << turn;
      text.insert(text.end(), answer.tokens.begin(), answer.tokens.end());
      EXPECT_EQ(talk.tokens(), text);
    }
  }
}

}  // namespace
}  // namespace compeer::rollout
