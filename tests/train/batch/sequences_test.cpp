#include "train/batch/sequences.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "train/update/learning.h"
#include "train/update/parts.h"

namespace compeer::train {
namespace {

std::vector<int64_t> list(const at::Tensor& t) {
  const auto* values = t.const_data_ptr<int64_t>();
  return {values, values + t.numel()};
}

// Prompt 5 6 7; completions "8 9" and "4": row 0 the token 8, rows 1-3 the prompt. The last token of each needs no row.
TEST(GroupBatch, HangsCompletionsOffThePrompt) {
  PromptGroup group;
  group.prompt = {5, 6, 7};
  group.samples = {{{8, 9}, {-0.5f, -0.25f}, {}, true}, {{4}, {-1.0f}, {}, true}};
  const auto batch = group_batch(group);
  EXPECT_EQ(list(batch.batch.tokens), (std::vector<int64_t>{8, 5, 6, 7}));
  ASSERT_EQ(batch.batch.segments.size(), 2u);  // a completion of one token has none
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

// A small model, fresh from a seed.
class SmallModel : public testing::Test {
 protected:
  static plugin::Plugin<Model> open(bool tied = true, const nlohmann::json& recompute_above = nullptr) {
    const plugin::Chosen chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    static plugin::Services services;
    services.seed = 3;
    const nlohmann::json config{{"vocab_size", 40},
                                {"hidden_size", 32},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"intermediate_size", 48},
                                {"max_position_embeddings", 64},
                                {"tie_word_embeddings", tied}};
    const nlohmann::json settings{{"path", nullptr},        {"config", config},  {"frozen", false},
                                  {"precision", "float32"}, {"engine", "exact"}, {"recompute_above", recompute_above}};
    return plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services));
  }

  // Gradients of the sum of a * log-prob, each tensor flat.
  at::Tensor gradient(const at::Tensor& log_prob, const std::vector<float>& a) {
    return gathered(model.object(), [&] { (log_prob * at::tensor(a)).sum().backward(); });
  }

  static at::Tensor gathered(Model& model, const std::function<void()>& backward) {
    for (Parameter& p : model.parameters()) p.value.mutable_grad() = at::zeros_like(p.value);
    backward();
    std::vector<at::Tensor> all;
    for (const Parameter& p : model.parameters()) all.push_back(p.value.grad().flatten());
    return at::cat(all);
  }

  plugin::Plugin<Model> model = open();
  rollout::Policy policy{model.object()};
};

// What a token is given does not depend on the lessons it is learned with; tokens before `first` have no say.
TEST_F(SmallModel, GivesALessonTheSameAmongOthers) {
  const at::NoGradGuard no_grad;
  const std::vector<Lesson> lessons{{{1, 2, 3, 4, 5}, 1}, {{6, 7}, 1}, {{8, 9, 10, 11, 12, 13, 14}, 4}};
  std::vector<at::Tensor> alone;
  for (const Lesson& lesson : lessons) alone.push_back(log_probs(policy, {&lesson, 1}));
  EXPECT_EQ(alone[0].numel(), 4);
  EXPECT_EQ(alone[1].numel(), 1);
  EXPECT_EQ(alone[2].numel(), 3);
  EXPECT_TRUE(at::equal(log_probs(policy, lessons), at::cat(alone)));
}

// Several turns of one sequence are learned by what each of them is given alone.
TEST_F(SmallModel, LearnsTurnsThatAreNotNeighbours) {
  const std::vector<int32_t> tokens{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Lesson turns(tokens, std::vector<Lesson::Span>{{2, 4}, {6, 9}}), all(tokens, 1);
  EXPECT_EQ(turns.targets(), 5);
  const auto known = log_probs(policy, {&all, 1});  // of tokens 1, ..., 8
  EXPECT_TRUE(at::equal(log_probs(policy, {&turns, 1}), at::cat({known.slice(0, 1, 3), known.slice(0, 5, 8)})));
}

// The prompt is computed once for its group, forward and backward. That changes no log-prob, and gradients by rounding
// only.
TEST_F(SmallModel, LearnsFromASharedPromptWhatItLearnsFromCopies) {
  PromptGroup group;
  group.prompt = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
  const std::vector<std::vector<int32_t>> completions{{20, 21, 22, 23}, {24}, {20, 25, 26, 27, 28, 29, 30}, {31, 32}};
  std::vector<Lesson> copies;
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

// 14 completions of 1 to 40 tokens after a prompt of 20: more rows than a product's chunk of 256.
PromptGroup long_group() {
  PromptGroup group;
  for (int32_t i = 0; i < 20; ++i) group.prompt.push_back(i * 7 % 40);
  for (int32_t c = 0; c < 14; ++c) {
    rollout::Sample sample;
    for (int32_t i = 0; i < 1 + c * 3; ++i) sample.tokens.push_back((i * 11 + c) % 40);
    sample.log_probs.assign(sample.tokens.size(), 0.0f);
    group.samples.push_back(sample);
  }
  return group;
}

TEST_F(SmallModel, LearnsFromAGroupInPartsWithTheSameBits) {
  const auto group = group_batch(long_group());
  const int64_t targets = group.targets.numel();
  const auto a = at::sin(at::arange(targets, at::kFloat)), e = at::cos(at::arange(targets, at::kFloat));
  for (const bool tied : {true, false}) {
    for (const nlohmann::json& recompute_above : {nlohmann::json(nullptr), nlohmann::json(0)}) {
      auto own = open(tied, recompute_above);
      rollout::Policy its(own.object());
      const auto whole = gathered(own.object(), [&] {
        const auto known = log_probs(its, group, 0.7);
        ((known.log_prob * a).sum() + (known.entropy * e).sum()).backward();
      });
      for (const int64_t most : {1, 50, 100, 200, 1000}) {
        const auto parts = gathered(own.object(), [&] { backward_in_parts(its, group, 0.7, most, a, e); });
        EXPECT_TRUE(at::equal(parts, whole)) << "at most " << most << ", off by " << (parts - whole).abs().max();
      }
    }
  }
}

// What is said to be ready has the bits that it ends with; of a group as a whole that is everything, the embedding
// last.
TEST_F(SmallModel, SaysWhichElementsOfAGradientAreComplete) {
  const auto group = group_batch(long_group());
  const auto a = at::sin(at::arange(group.targets.numel(), at::kFloat));
  for (const bool tied : {true, false}) {
    for (const bool whole : {true, false}) {
      auto own = open(tied, 0);
      rollout::Policy its(own.object());
      Parameters parameters(own.object());
      const auto size = static_cast<size_t>(parameters.size());
      std::vector<float> gradient(size, 7.0f), seen(size);
      std::vector<int> times(size);
      int64_t told = 0, last = -1;
      const auto ready = [&](comm::Share elements) {
        std::ranges::copy(comm::part(std::span(gradient), elements), seen.begin() + elements.first);
        for (int64_t i = 0; i < elements.count; ++i) ++times[static_cast<size_t>(elements.first + i)];
        told += elements.count;
        last = elements.first;
      };
      parameters.collect(gradient, false, [&] {
        const auto last_pass = [&] { parameters.last_pass(ready); };
        if (!whole) return backward_in_parts(its, group, 1.0, 50, a, {}, last_pass);
        const auto known = log_probs(its, group, 1.0);
        last_pass();
        (known.log_prob * a).sum().backward();
      });
      for (size_t i = 0; i < size; ++i) {
        ASSERT_LE(times[i], 1) << i;
        if (times[i] == 1) {
          ASSERT_EQ(seen[i], gradient[i]) << i;
        }
      }
      const int64_t head = own.object().head().numel();
      EXPECT_EQ(told, parameters.size() - (whole || tied ? 0 : head)) << "tied " << tied << ", whole " << whole;
      EXPECT_EQ(last, 0);
    }
  }
}

TEST_F(SmallModel, LearnsFromCompletionsOfOneTokenInParts) {
  PromptGroup scored;
  scored.prompt = {1, 2, 3};
  scored.samples = {{{4}, {0.0f}, {}, true}, {{5}, {0.0f}, {}, true}};
  const auto group = group_batch(scored);
  const auto a = at::tensor(std::vector<float>{0.5f, -2.0f});
  const auto whole = gradient(log_probs(policy, group, 1.0).log_prob, {0.5f, -2.0f});
  const auto parts = gathered(model.object(), [&] { backward_in_parts(policy, group, 1.0, 1, a, {}); });
  EXPECT_TRUE(at::equal(parts, whole));
}

}  // namespace
}  // namespace compeer::train
