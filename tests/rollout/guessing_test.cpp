// Tokens that are guessed and read ahead: nothing that is said changes, it only takes fewer passes.
#include "base/error.h"
#include "small_engine.h"

namespace compeer::rollout {
namespace {

struct Said {
  std::vector<std::vector<Sample>> groups;
  int passes = 0;
};

class Guessing : public RolloutEngine {
 protected:
  // Says the same several times, so that it is known in the end.
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
