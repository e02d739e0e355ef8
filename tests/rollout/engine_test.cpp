#include "rollout/engine.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::rollout {
namespace {

// A fresh model of the qwen2 plugin, small enough for tests and with weights large enough to be unsure of itself.
class RolloutEngine : public testing::Test {
 protected:
  RolloutEngine() {
    const nlohmann::json config{{"vocab_size", 90},
                                {"hidden_size", 32},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"intermediate_size", 48},
                                {"max_position_embeddings", 64},
                                {"rope_theta", 10000.0},
                                {"rms_norm_eps", 1e-6},
                                {"tie_word_embeddings", true}};
    const plugin::Chosen chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    services.seed = 11;
    model = std::make_unique<plugin::Plugin<Model>>(plugin::open<Model>(
        chosen,
        Settings(
            {{"path", nullptr}, {"config", config}, {"frozen", false}, {"precision", "float32"}, {"engine", "exact"}}),
        std::make_unique<plugin::RunHost>(chosen, services)));
    for (auto& p : model->object().parameters()) p.value.detach().mul_(p.value.dim() == 2 ? 4.0 : 1.0);
    model->object().parameters_changed();
    policy = std::make_unique<Policy>(model->object());
  }

  static Request request_for(int64_t group_size, int64_t concurrent) {
    Request request;
    request.sampling.max_new_tokens = 20;
    request.sampling.concurrent = concurrent;
    request.group_size = group_size;
    request.end_tokens = {7};
    request.seed = 5;
    return request;
  }

  std::vector<std::vector<Sample>> run(const std::vector<Prompt>& asked, int64_t group_size, int64_t concurrent = 64) {
    return generate(*policy, asked, request_for(group_size, concurrent));
  }

  // What the trainer computes for a prompt and one completion.
  at::Tensor trainer_log_probs(const std::vector<int32_t>& prompt, const Sample& sample) {
    const at::NoGradGuard no_grad;
    auto all = prompt;
    all.insert(all.end(), sample.tokens.begin(), sample.tokens.end());
    const auto n = static_cast<int64_t>(all.size()), start = static_cast<int64_t>(prompt.size());
    const auto tokens = at::tensor(std::vector<int64_t>(all.begin(), all.end()));
    const auto hidden = model->object().forward({tokens, {Segment{0, n, 0, -1, {}}}}, nullptr);
    return policy->arithmetic
        .token_logprobs(hidden.slice(0, start - 1, n - 1).contiguous(), policy->head,
                        tokens.slice(0, start, n).contiguous(), 1.0)
        .log_prob;
  }

  // The model's own numbers for a whole text: what any way of reading it must give.
  std::vector<float> all_log_probs(std::vector<int32_t> text) {
    Sample rest;
    rest.tokens.assign(text.begin() + 1, text.end());
    const auto values = trainer_log_probs({text.front()}, rest);
    return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.size(0)};
  }

  static std::vector<int32_t> numbers(int32_t first, int32_t count) {
    std::vector<int32_t> all;
    for (int32_t i = 0; i < count; ++i) all.push_back((first + 7 * i) % 90);
    return all;
  }

  static bool same(const Sample& a, const Sample& b) { return a.tokens == b.tokens && a.log_probs == b.log_probs; }

  plugin::Services services;
  std::unique_ptr<plugin::Plugin<Model>> model;
  std::unique_ptr<Policy> policy;
  const std::vector<Prompt> prompts{{0, {3, 1, 4}}, {1, std::vector<int32_t>(16, 9)}, {2, std::vector<int32_t>(33, 2)}};
};

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

TEST_F(RolloutEngine, StopsWhereARuleSaysSo) {
  auto request = request_for(4, 3);
  request.end_tokens = {};
  // A rule has a memory of its own for each completion: three tokens, and it is over.
  request.stop = [] { return [count = 0](int32_t) mutable { return ++count == 3; }; };
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
            "prompt 3: has 64 tokens, the model has room for 64\n"
            "  help: shorten it, or raise max_position_embeddings in the model's config.json");
  EXPECT_EQ(message_of([&] { run({{4, {1, 90}}}, 1); }), "prompt 4: token id 90 is outside the vocabulary of 90");
  EXPECT_EQ(message_of([&] { run({{4, {-1}}}, 1); }), "prompt 4: token id -1 is outside the vocabulary of 90");
  EXPECT_EQ(message_of([&] { run({{5, {}}}, 1); }), "prompt 5: is empty\n  help: a model continues at least one token");
}

TEST_F(RolloutEngine, SaysThatAModelIsBroken) {
  model->object().parameters().back().value.detach().fill_(std::numeric_limits<float>::quiet_NaN());
  policy->parameters_changed();
  EXPECT_EQ(message_of([&] { run(prompts, 1); }),
            "prompt 0: the model computes numbers that are not finite\n"
            "  help: its weights are damaged, or training went astray");
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

// 40 prompts of 33 tokens with 4 completions of at most 20: 7 sequences at once never hold more than the pages of their
// prompts and one page and a half each.
TEST_F(RolloutEngine, HoldsNoMorePagesThanWhatIsInFlightNeeds) {
  std::vector<Prompt> many;
  for (uint32_t i = 0; i < 40; ++i) many.push_back({i, numbers(static_cast<int32_t>(i), 33)});
  rollout::Engine engine(*policy);
  auto request = request_for(4, 7);
  int64_t most = 0;
  request.progress = [&] { most = std::max(most, engine.pages().in_use()); };
  engine.generate(many, request);
  EXPECT_LE(most, 3 * 3 + 7 * 2);  // pages of three prompts, two pages of each completion's own
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
        if (!wait && given > ended) return Supply::later;  // the second comes only after the first was answered
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

TEST_F(RolloutEngine, ContinuesAConversationAsIfItWereNew) {
  rollout::Engine engine(*policy);
  auto talk = engine.conversation();
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
  auto common = engine.conversation();
  const auto beginning = numbers(1, 21);
  engine.read({{0, beginning, nullptr, &common}});
  EXPECT_EQ(engine.pages().in_use(), 2);
  std::vector<Conversation> talks(3, common);
  std::vector<Prompt> turns;
  for (uint32_t i = 0; i < 3; ++i) turns.push_back({i, {static_cast<int32_t>(i), 40}, nullptr, &talks[i]});
  const auto together = engine.generate(turns, request_for(1, 3));
  for (uint32_t i = 0; i < 3; ++i) {
    auto whole = beginning;
    whole.insert(whole.end(), {static_cast<int32_t>(i), 40});
    EXPECT_TRUE(same(together[i][0], run({{i, whole}}, 1)[0][0])) << i;
  }
  EXPECT_EQ(common.tokens(), beginning);
  EXPECT_LE(engine.pages().in_use(), 2 + 3 * 2);  // the full page is shared by all
}

TEST_F(RolloutEngine, ScoresContinuationsOfAConversation) {
  rollout::Engine engine(*policy);
  auto talk = engine.conversation();
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
  check();  // after an answer, whose last token is yet to be read
}

TEST_F(RolloutEngine, ForgetsTheEndOfAConversation) {
  rollout::Engine engine(*policy);
  auto talk = engine.conversation();
  engine.read({{0, numbers(4, 40), nullptr, &talk}});
  auto copy = talk;
  for (const int64_t count : {33, 32, 20, 1}) {
    EXPECT_EQ(talk.keep(count), count);
    const auto whole = numbers(4, static_cast<int32_t>(count));
    EXPECT_EQ(talk.tokens(), whole);
    auto next = whole;
    next.push_back(3);
    EXPECT_EQ(engine.score({{0, {3}, nullptr, &talk}})[0].at(0), all_log_probs(next).back()) << count;
    EXPECT_EQ(engine.generate({{0, {}, nullptr, &talk}}, request_for(1, 1))[0][0].tokens,
              run({{0, whole}}, 1)[0][0].tokens);
  }
  EXPECT_EQ(engine.score({{0, {3}, nullptr, &copy}})[0].size(), 1u);  // what the copy holds is untouched
  auto whole = numbers(4, 40);
  whole.push_back(3);
  EXPECT_EQ(engine.score({{0, {3}, nullptr, &copy}})[0][0], all_log_probs(whole).back());
}

// An answer of which the first three tokens were guessed right, and the fourth wrong.
TEST_F(RolloutEngine, ChoosesWhereItIsAskedWhatItWouldSay) {
  for (const bool greedy : {true, false}) {
    auto request = request_for(1, 1);
    request.sampling.greedy = greedy;
    rollout::Engine engine(*policy);
    auto talk = engine.conversation();
    const auto prompt = numbers(4, 18);
    const auto said = engine.generate({{3, prompt}}, request)[0][0];
    ASSERT_GT(said.tokens.size(), 5u);
    engine.read({{0, {prompt.begin(), prompt.begin() + 10}, nullptr, &talk}});
    Guess guess{&talk, {prompt.begin() + 10, prompt.end()}, {}};
    guess.tokens.insert(guess.tokens.end(), said.tokens.begin(), said.tokens.begin() + 3);
    guess.tokens.push_back((said.tokens[3] + 1) % 90);
    for (uint32_t i = 0; i < 5; ++i) guess.places.push_back({18 + i, {request.seed, request.step, 3, 0, i}});
    auto alone = talk;
    const auto chosen = engine.choose({guess}, request.sampling)[0];
    ASSERT_EQ(chosen.size(), 5u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(chosen[i].token.id, said.tokens[i]) << i;
      EXPECT_EQ(chosen[i].token.log_prob, said.log_probs[i]) << i;
    }
    EXPECT_EQ(talk.keep(21, chosen[3].state), 21);
    EXPECT_EQ(talk.unread(), 0) << "what is known is not read again";
    const auto rest = engine.choose({{&talk, {said.tokens[3]}, {guess.places[3], guess.places[4]}}}, request.sampling);
    EXPECT_EQ(rest[0][0].token.id, said.tokens[3]) << "out of what was kept";
    EXPECT_EQ(rest[0][1].token.log_prob, said.log_probs[4]);
    guess.after = &alone;
    auto other = guess;
    auto long_one = engine.conversation();
    other.after = &long_one;
    other.tokens.insert(other.tokens.begin(), prompt.begin(), prompt.begin() + 10);
    const auto together = engine.choose({other, guess}, request.sampling);
    for (size_t i = 0; i < 5; ++i) {
      for (const auto& one : together) EXPECT_EQ(one[i].token.log_prob, chosen[i].token.log_prob) << i;
    }
  }
}

TEST_F(RolloutEngine, ChoosesNamesAModelThatIsBroken) {
  model->object().parameters().back().value.detach().fill_(std::numeric_limits<float>::quiet_NaN());
  policy->parameters_changed();
  rollout::Engine engine(*policy);
  auto talk = engine.conversation();
  EXPECT_THROW(engine.choose({{&talk, {1, 2}, {{2, {0, 0, 9, 0, 0}}}}}, {}), Error);
}

TEST_F(RolloutEngine, PenalizesTokensOfPromptAndAnswer) {
  auto request = request_for(1, 1);
  request.end_tokens = {};
  request.sampling.greedy = true;
  request.sampling.repetition_penalty = 100;  // no token twice
  const auto sample = generate(*policy, {prompts[0]}, request)[0][0];
  std::set<int32_t> all(sample.tokens.begin(), sample.tokens.end());
  all.insert(prompts[0].tokens.begin(), prompts[0].tokens.end());
  EXPECT_EQ(all.size(), sample.tokens.size() + prompts[0].tokens.size());
}

}  // namespace
}  // namespace compeer::rollout
