#include "rollout/engine.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "small_engine.h"

namespace compeer::rollout {
namespace {

TEST_F(RolloutEngine, RecordsTheLogProbsThatTheTrainerComputes) {
  const auto groups = run(prompts, 3);
  for (size_t g = 0; g < prompts.size(); ++g) {
    for (const Sample& sample : groups[g]) {
      const auto trainer = trainer_log_probs(prompts[g].tokens, sample);
      for (size_t i = 0; i < sample.tokens.size(); ++i) {
        ASSERT_EQ(trainer[static_cast<int64_t>(i)].item<float>(), sample.log_probs[i])
            << "group " << g << " token " << i;
      }
    }
  }
}

TEST_F(RolloutEngine, GivesACompletionThatDoesNotDependOnItsCompany) {
  std::vector<Prompt> many;
  for (uint32_t i = 0; i < 12; ++i)
    many.push_back({i, numbers(static_cast<int32_t>(i), static_cast<int32_t>(1 + 4 * i))});
  const auto expected = run(many, 3, 1);
  for (const int64_t concurrent : {2, 7, 32, 64}) {
    const auto groups = run(many, 3, concurrent);
    for (size_t g = 0; g < many.size(); ++g) {
      for (size_t c = 0; c < 3; ++c)
        EXPECT_TRUE(same(groups[g][c], expected[g][c])) << concurrent << " " << g << " " << c;
    }
  }
  std::reverse(many.begin(), many.end());
  const auto reversed = run(many, 1, 5);
  for (size_t g = 0; g < many.size(); ++g) EXPECT_TRUE(same(reversed[11 - g][0], expected[g][0])) << g;
}

class LongPrompts : public RolloutEngine {
 protected:
  explicit LongPrompts(const std::string& compute = "float32")
      : RolloutEngine("qwen2", {{"max_position_embeddings", 400}}, compute) {}

  // The completions of one prompt share its pages and have their own last page, which begins at the same or different
  // positions.
  void expect_the_trainers_log_probs() {
    const std::vector<Prompt> long_ones{{0, numbers(1, 170)}, {1, numbers(2, 95)}, {2, numbers(1, 176)}};
    for (const int64_t concurrent : {2, 5, 64}) {
      const auto groups = run(long_ones, 6, concurrent);
      for (size_t g = 0; g < groups.size(); ++g) {
        for (const Sample& sample : groups[g]) {
          EXPECT_TRUE(at::equal(at::tensor(sample.log_probs), trainer_log_probs(long_ones[g].tokens, sample)))
              << g << ", " << concurrent << " at once";
        }
      }
    }
  }
};

class LongPromptsInPairs : public LongPrompts {
 protected:
  LongPromptsInPairs() : LongPrompts("bfloat16") {}
};

TEST_F(LongPrompts, AreReadTogetherToTheTrainersBits) { expect_the_trainers_log_probs(); }
TEST_F(LongPromptsInPairs, AreReadTogetherToTheTrainersBits) { expect_the_trainers_log_probs(); }

TEST_F(RolloutEngine, DrawsDifferentCompletionsOfOnePrompt) {
  const auto group = run({prompts[0]}, 4)[0];
  for (size_t c = 1; c < 4; ++c) EXPECT_NE(group[c].tokens, group[0].tokens);
}

TEST_F(RolloutEngine, StopsAtAnEndTokenOrAtTheLimit) {
  int finished = 0, cut = 0;
  for (const auto& group : run(prompts, 8)) {
    for (const Sample& sample : group) {
      EXPECT_EQ(sample.finished, sample.tokens.back() == 7);
      EXPECT_EQ(std::count(sample.tokens.begin(), sample.tokens.end(), 7), sample.finished ? 1 : 0);
      EXPECT_TRUE(sample.finished || sample.tokens.size() == 20u);
      (sample.finished ? finished : cut) += 1;
    }
  }
  EXPECT_GT(finished, 0);
  EXPECT_GT(cut, 0);
}

TEST_F(RolloutEngine, StopsAtAnyOfSeveralEndTokens) {
  auto request = request_for(8, 64);
  request.end_tokens = {7, 8, 9};
  std::set<int32_t> last;
  for (const auto& group : generate(*policy, prompts, request)) {
    for (const Sample& sample : group) {
      if (sample.finished) last.insert(sample.tokens.back());
    }
  }
  EXPECT_EQ(last, (std::set<int32_t>{7, 8, 9}));
}

TEST_F(RolloutEngine, CompletesPromptsByRequestsOfTheirOwnAsIfTheyWereAlone) {
  auto warm = request_for(2, 64), cold = request_for(3, 64);
  cold.sampling.greedy = true;
  cold.sampling.max_new_tokens = 4;
  warm.sampling.top_k = 5;
  warm.sampling.repetition_penalty = 1.5;
  warm.seed = 99;
  warm.end_tokens = {};
  auto mixed = prompts;
  mixed[0].request = std::make_shared<Request>(warm);
  mixed[1].request = std::make_shared<Request>(cold);
  std::vector<std::vector<Sample>> groups(mixed.size(), std::vector<Sample>(3));
  for (const int64_t concurrent : {1, 3, 64}) {
    Engine(*policy).generate(in_order(mixed), request_for(1, concurrent),
                             [&](size_t p, uint32_t c, Sample sample) { groups.at(p).at(c) = std::move(sample); });
    const auto first = generate(*policy, {prompts[0]}, warm)[0], second = generate(*policy, {prompts[1]}, cold)[0];
    for (size_t c = 0; c < 2; ++c) EXPECT_TRUE(same(groups[0][c], first[c])) << concurrent << " " << c;
    for (size_t c = 0; c < 3; ++c) EXPECT_TRUE(same(groups[1][c], second[c])) << concurrent << " " << c;
    EXPECT_TRUE(same(groups[2][0], run({prompts[2]}, 1)[0][0])) << concurrent;
  }
}

TEST_F(RolloutEngine, DrawsFromWhatARuleLeavesOfTheLogits) {
  auto request = request_for(3, 64);
  // Each completion may only emit its own token, though the first tokens are all drawn from the same row of logits.
  request.rules = [](uint32_t completion) {
    return CompletionRules{nullptr, [completion](std::span<float> logits) {
                             for (size_t id = 0; id < logits.size(); ++id)
                               logits[id] = id == 20 + completion ? 0.0f : -1e30f;
                           }};
  };
  const auto group = generate(*policy, {prompts[0]}, request)[0];
  for (int32_t c = 0; c < 3; ++c) EXPECT_EQ(group[static_cast<size_t>(c)].tokens, std::vector<int32_t>(20, 20 + c));
}

TEST_F(RolloutEngine, HandsOutAPromptAsSoonAsItIsRead) {
  Engine engine(*policy);
  auto kept = engine.new_sequence();
  auto prompt = prompts[1];
  prompt.context = &kept;
  auto request = request_for(2, 64);
  std::vector<int64_t> lengths;
  request.rules = [&](uint32_t) {
    return CompletionRules{[&](int32_t) {
      lengths.push_back(kept.size());
      return false;
    }};
  };
  const auto first = engine.generate({prompt}, request)[0][0];
  EXPECT_EQ(lengths.front(), static_cast<int64_t>(prompts[1].tokens.size()));
  auto all = prompts[1].tokens;
  all.insert(all.end(), first.tokens.begin(), first.tokens.end());
  EXPECT_EQ(kept.tokens(), all);
}

TEST_F(RolloutEngine, StopsWhereARuleSaysSo) {
  auto request = request_for(4, 3);
  request.end_tokens = {};
  // A rule has its own state for each completion: it stops after three tokens.
  request.rules = [](uint32_t) { return CompletionRules{[count = 0](int32_t) mutable { return ++count == 3; }}; };
  for (const auto& group : generate(*policy, prompts, request)) {
    for (const Sample& sample : group) {
      EXPECT_EQ(sample.tokens.size(), 3u);
      EXPECT_TRUE(sample.finished);
    }
  }
}

TEST_F(RolloutEngine, NeverPassesTheModelsLastPosition) {
  const auto group = run({{0, std::vector<int32_t>(60, 1)}}, 4)[0];
  for (const Sample& sample : group) EXPECT_LE(sample.tokens.size(), 4u);
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    return error.what();
  }
  return "";
}

TEST_F(RolloutEngine, NamesAPromptThatItCannotContinue) {
  EXPECT_EQ(message_of([&] {
              run({{3, std::vector<int32_t>(64, 1)}}, 1);
            }),
            "prompt 3: has 64 tokens and needs one more, the model has room for 64\n"
            "  help: shorten it, or raise max_position_embeddings in the model's config.json");
  EXPECT_EQ(message_of([&] { run({{4, {1, 90}}}, 1); }), "prompt 4: token id 90 is outside the vocabulary of 90");
  EXPECT_EQ(message_of([&] { run({{4, {-1}}}, 1); }), "prompt 4: token id -1 is outside the vocabulary of 90");
  EXPECT_EQ(message_of([&] {
              run({{5, {}}}, 1);
            }),
            "prompt 5: is empty\n  help: provide at least one token to continue");
}

TEST_F(RolloutEngine, SaysThatAModelIsBroken) {
  model->object().parameters().back().value.detach().fill_(std::numeric_limits<float>::quiet_NaN());
  policy->parameters_changed();
  EXPECT_EQ(message_of([&] { run(prompts, 1); }),
            "prompt 0: the model computes numbers that are not finite\n"
            "  help: check the weights for damage; if training diverged, use an earlier checkpoint");
}

TEST_F(RolloutEngine, EndsWhenItIsCancelled) {
  auto request = request_for(2, 4);
  int passes = 0;
  request.progress = [&] {
    if (++passes == 3) throw std::runtime_error("enough");
  };
  rollout::Engine engine(*policy);
  EXPECT_THROW(engine.generate(prompts, request), std::runtime_error);
  EXPECT_EQ(engine.pages().in_use(), 0);
  request.progress = [] {};
  EXPECT_TRUE(same(engine.generate(prompts, request)[0][0], run(prompts, 2)[0][0]));
}

// 40 prompts of 33 tokens with 4 completions of at most 20 tokens: 7 concurrent sequences belong to at most three
// prompts and have at most two pages each.
TEST_F(RolloutEngine, HoldsNoMorePagesThanWhatIsInFlightNeeds) {
  std::vector<Prompt> many;
  for (uint32_t i = 0; i < 40; ++i) many.push_back({i, numbers(static_cast<int32_t>(i), 33)});
  rollout::Engine engine(*policy);
  auto request = request_for(4, 7);
  int64_t most = 0;
  request.progress = [&] { most = std::max(most, engine.pages().in_use()); };
  engine.generate(many, request);
  EXPECT_LE(most, 3 * 3 + 7 * 2);  // pages of three prompts, and two pages of each completion
  EXPECT_EQ(engine.pages().in_use(), 0);
}

TEST_F(RolloutEngine, TakesPromptsAsPlacesBecomeFree) {
  rollout::Engine engine(*policy);
  size_t given = 0, ended = 0, most = 0;
  engine.generate(
      [&](Prompt& prompt, bool) {
        if (given == 9) return Supply::end;
        prompt = {static_cast<uint32_t>(given++), numbers(3, 20)};
        most = std::max(most, given - ended);
        return Supply::prompt;
      },
      request_for(1, 3), [&](size_t, uint32_t, Sample) { ++ended; });
  EXPECT_EQ(ended, 9u);
  EXPECT_EQ(most, 3u);
}

TEST_F(RolloutEngine, GoesOnWhileTheNextPromptIsAwaited) {
  rollout::Engine engine(*policy);
  size_t given = 0, ended = 0;
  engine.generate(
      [&](Prompt& prompt, bool wait) {
        if (!wait && given > ended) return Supply::later;  // the second one waits for the first answer
        if (given == 2) return Supply::end;
        prompt = {static_cast<uint32_t>(given++), numbers(3, 5)};
        return Supply::prompt;
      },
      request_for(1, 3),
      [&](size_t prompt, uint32_t, Sample) {
        EXPECT_EQ(prompt, ended++);
        EXPECT_EQ(given, ended);
      });
  EXPECT_EQ(ended, 2u);
}

// The first prompt could fill all slots repeatedly; the others start when it has finished one completion.
TEST_F(RolloutEngine, GivesPlacesToPromptsInTurn) {
  auto all = request_for(1, 64);
  all.end_tokens = {};  // all completions have 20 tokens
  auto first = std::make_shared<Request>(all);
  first->group_size = 12;
  const auto expected = generate(*policy, prompts, *first);
  auto mixed = prompts;
  mixed[0].request = first;
  EXPECT_EQ(generate(*policy, mixed, all)[0].size(), 12u);
  for (const int64_t concurrent : {1, 2, 3, 8}) {
    all.sampling.concurrent = concurrent;
    all.max_active_per_prompt = std::max<int64_t>(concurrent / 2, 1);
    size_t given = 0;
    std::vector<size_t> ended;
    rollout::Engine(*policy).generate(
        [&](Prompt& prompt, bool wait) {
          if (given == 3) return Supply::end;
          if (given > 0 && ended.empty() && !wait) return Supply::later;
          prompt = prompts[given++];
          if (prompt.index == 0) prompt.request = first;
          return Supply::prompt;
        },
        all,
        [&](size_t prompt, uint32_t completion, const Sample& sample) {
          EXPECT_TRUE(same(sample, expected[prompt][completion])) << concurrent << " " << prompt << " " << completion;
          ended.push_back(prompt);
        });
    ASSERT_EQ(ended.size(), 14u);
    const auto before = [&](size_t prompt) {  // number of completions of the first prompt that ended before this one
      return std::count(ended.begin(), std::find(ended.begin(), ended.end(), prompt), 0u);
    };
    EXPECT_LE(before(1), 1 + 2 * all.max_active_per_prompt) << concurrent;
    EXPECT_LE(before(2), 2 + 3 * all.max_active_per_prompt) << concurrent;
  }
}

TEST_F(LongPrompts, DoNotKeepShortOnesFromBeingRead) {
  std::vector<Prompt> all;
  for (uint32_t i = 0; i < 4; ++i) all.push_back({i, numbers(static_cast<int32_t>(i), i < 3 ? 380 : 3)});
  for (const bool in_turn : {false, true}) {
    auto request = request_for(1, 8);
    request.sampling.max_new_tokens = 1;
    request.max_active_per_prompt = in_turn ? 1 : 0;
    std::vector<size_t> ended;
    rollout::Engine(*policy).generate(in_order(all), request, [&](size_t prompt, uint32_t, const Sample& sample) {
      EXPECT_EQ(sample.tokens.size(), 1u);
      ended.push_back(prompt);
    });
    // One pass processes at most 512 tokens.
    EXPECT_EQ(ended, in_turn ? (std::vector<size_t>{0, 2, 3, 1}) : (std::vector<size_t>{0, 1, 2, 3}));
  }
}

TEST_F(RolloutEngine, ScoresWhatItSampledWithTheSameBits) {
  std::vector<Prompt> texts;
  const auto groups = run(prompts, 3);
  for (size_t g = 0; g < prompts.size(); ++g) {
    for (const Sample& sample : groups[g]) {
      auto all = prompts[g].tokens;
      all.insert(all.end(), sample.tokens.begin(), sample.tokens.end());
      texts.push_back({static_cast<uint32_t>(texts.size()), all});
    }
  }
  for (const int64_t concurrent : {1, 7, 32}) {
    const auto scores = rollout::Engine(*policy).score(texts, request_for(1, concurrent));
    for (size_t i = 0; i < texts.size(); ++i) {
      const Sample& sample = groups[i / 3][i % 3];
      ASSERT_EQ(scores[i].size(), texts[i].tokens.size() - 1);
      const std::vector<float> tail(scores[i].end() - static_cast<int64_t>(sample.tokens.size()), scores[i].end());
      EXPECT_EQ(tail, sample.log_probs) << concurrent << " " << i;
    }
  }
}

TEST_F(RolloutEngine, ScoresATextOfOneTokenWithNothing) {
  EXPECT_EQ(rollout::Engine(*policy).score({{0, {5}}}), (std::vector<std::vector<float>>{{}}));
}

TEST_F(RolloutEngine, PenalizesTokensOfPromptAndAnswer) {
  auto request = request_for(1, 1);
  request.end_tokens = {};
  request.sampling.greedy = true;
  request.sampling.repetition_penalty = 100;  // so high that no token repeats
  const auto sample = generate(*policy, {prompts[0]}, request)[0][0];
  std::set<int32_t> all(sample.tokens.begin(), sample.tokens.end());
  all.insert(prompts[0].tokens.begin(), prompts[0].tokens.end());
  EXPECT_EQ(all.size(), sample.tokens.size() + prompts[0].tokens.size());
}

}  // namespace
}  // namespace compeer::rollout
