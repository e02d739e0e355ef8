#include "train/update/learning.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "spec/core_schema.h"
#include "train/update/pooled.h"

namespace compeer::train {
namespace {

// Two completions of 3 and 2 tokens, the second cut off.
ScoredGroup scored(int64_t index, std::vector<double> rewards) {
  ScoredGroup group;
  group.index = index;
  group.prompt = {5, 6};
  for (size_t i = 0; i < 2; ++i) {
    rollout::Sample sample;
    sample.tokens.assign(3 - i, 3);
    sample.log_probs.assign(3 - i, -1.0f);
    sample.entropies = i == 0 ? std::vector<float>{0.1f, 0.4f, 0.8f} : std::vector<float>{0.6f, 0.2f};
    sample.finished = i == 0;
    group.samples.push_back(sample);
    group.terms.push_back({rewards[i], -10 * rewards[i]});
  }
  group.rewards = rewards;
  return group;
}

GrpoSettings settings() {
  nlohmann::json spec;
  for (const char* section : {"grpo", "sampling"}) {
    for (const auto& field : spec::find_section(section)->parameter.fields)
      spec[section][field.name] = *field.default_value;
  }
  spec["rewards"] = {{{"weight", 1.0}}, {{"weight", 0.1}}};
  GrpoSettings made{Settings(spec)};
  made.batch = made.group_size = 2;
  return made;
}

TEST(GrpoSettings, OfferEveryLossThatThereIs) {
  const auto& fields = spec::find_section("grpo")->parameter.fields;
  EXPECT_EQ(spec::find(fields, "loss")->choices, grpo::loss_names());
}

TEST(LearningGroup, LeavesOutWhatWasCutOff) {
  const auto group = scored(0, {1, 2});
  EXPECT_EQ(LearningGroup(group, false).counted(), (std::vector<double>{3, 2}));
  EXPECT_EQ(LearningGroup(group, true).counted(), (std::vector<double>{3, 0}));
}

TEST(SampledKl, IsSummedOverTheTokensOfACompletion) {
  const auto group = scored(0, {1, 2});
  LearningGroup learning(group, false);
  learning.reference = at::tensor(std::vector<float>{-1.5f, -1.0f, -0.5f, -2.0f, -1.0f});
  grpo::Objective objective;
  objective.estimator = grpo::Estimator::k1;
  EXPECT_EQ(sampled_kl(learning, objective), (std::vector<double>{0, 1}));
}

// A "model" of one parameter: the same distribution over seven tokens at every place.
class Seven : public Model {
 public:
  ModelShape shape() const override { return {}; }
  at::Tensor forward(const Batch&, Cache*) override { return {}; }
  at::Tensor head() override { return logits; }
  std::vector<Parameter> parameters() override { return {{"logits", logits}}; }
  void parameters_changed() override {}
  void save(const std::string&) override {}

  kernels::TokenLogprobs known(const GroupBatch& batch) const {
    const auto log_p = at::log_softmax(logits, 0);
    return {log_p.index_select(0, batch.targets), -(log_p.exp() * log_p).sum().expand({batch.targets.numel()})};
  }
  at::Tensor logits =
      at::tensor(std::vector<float>{0.3f, -0.2f, 0.9f, 0.1f, -1.1f, 0.4f, 0.0f}).set_requires_grad(true);
};

// The objective is differentiated by log-probs and entropies first; that is the same as all at once.
TEST(Learn, GivesTheGradientOfTheObjective) {
  Seven model;
  Parameters parameters(model);
  const auto scored_group = scored(0, {1, 3});
  LearningGroup group(scored_group, false);
  group.advantages = {-1, 1};
  group.reference = at::tensor(std::vector<float>{-1.5f, -2.0f, -2.5f, -2.0f, -1.0f});
  grpo::Objective objective;
  objective.clip = {0.9, 0.9, 0, 0};
  objective.kl = 0.1;
  objective.entropy_bonus = 0.5;
  const grpo::Step step{{2, 5, 8}, 0, 5};
  const Passes passes{[&](const GroupBatch& batch) { return model.known(batch); }};
  std::vector<float> gradient(7);
  const auto stats = learn(passes, parameters, group, objective, step, {}, gradient);

  model.logits.mutable_grad().reset();
  const auto now = model.known(group.batch);
  const auto loss = grpo::group_loss(group.completions(now.log_prob, now.entropy), objective, step).value;
  loss.backward();
  EXPECT_NEAR(stats.sum[UpdateStats::loss], loss.item<double>(), 1e-6);
  const auto* expected = static_cast<const float*>(model.logits.grad().const_data_ptr());
  for (size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-6) << i;
  EXPECT_GT(std::abs(gradient[3]), 1e-3);
}

TEST(Parameters, RefuseAGradientThatGoesOnAfterItWasSaidToBeComplete) {
  Seven model;
  Parameters parameters(model);
  std::vector<float> gradient(7);
  const auto twice = [&] {
    parameters.last_pass([](comm::Share) {});
    model.logits.sum().backward();
    model.logits.sum().backward();
  };
  try {
    parameters.collect(gradient, false, twice);
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "logits: its gradient comes in several passes, and the first was taken for all of it\n  help: set "
                 "overlap = \"never\"");
    EXPECT_EQ(e.exit(), Exit::plugin);
  }
  parameters.differentiate(model.logits.sum(), gradient);
  EXPECT_EQ(gradient, std::vector<float>(7, 1.0f));
}

TEST(Learn, SeesRatiosOfExactlyOneAtTheFirstUpdate) {
  Seven model;
  Parameters parameters(model);
  auto scored_group = scored(0, {1, 3});
  const auto log_prob = at::log_softmax(model.logits.detach(), 0)[3].item<float>();
  for (auto& sample : scored_group.samples) sample.log_probs.assign(sample.tokens.size(), log_prob);
  LearningGroup group(scored_group, false);
  group.advantages = {-1, 1};
  std::vector<float> gradient(7);
  const auto stats = learn({[&](const GroupBatch& batch) { return model.known(batch); }}, parameters, group, {},
                           {{2, 5, 8}, 0, 5}, {}, gradient);
  EXPECT_EQ(stats.furthest, 0);
  EXPECT_EQ(stats.difference, 0);
  EXPECT_EQ(stats.sum[UpdateStats::loss], 0);
  EXPECT_EQ(stats.sum[UpdateStats::surrogate], 4);
  EXPECT_EQ(stats.sum[UpdateStats::places], 5);
}

class PooledOfTwo : public testing::Test {
 protected:
  Pooled pooled(const GrpoSettings& s) {
    std::vector<LearningGroup> mine;
    for (const auto& group : groups) mine.emplace_back(group, s.mask_truncated);
    return Pooled(world, mine, s);
  }
  comm::World world;
  std::vector<ScoredGroup> groups{scored(0, {1, 3}), scored(1, {2, 2})};
};

TEST_F(PooledOfTwo, CountsTheTokensOfAllGroups) {
  auto s = settings();
  EXPECT_EQ(pooled(s).step.size.tokens, 10);
  EXPECT_EQ(pooled(s).completions, 4);
  s.mask_truncated = true;
  EXPECT_EQ(pooled(s).step.size.tokens, 6);
  EXPECT_EQ(pooled(s).step.size.completions, 4);
  EXPECT_EQ(pooled(s).completions, 2);
}

// Twice .1 .2 .4 .6 .8: of ten tokens four have an entropy of .6 or more.
TEST_F(PooledOfTwo, FindsTheThresholdOverTheStep) {
  auto s = settings();
  s.objective.only_high_entropy = true;
  s.high_entropy_share = 0.4;
  const auto step = pooled(s).step;
  EXPECT_EQ(step.bonus_tokens, 4);
  EXPECT_GT(step.entropy_threshold, 0.4);
  EXPECT_LE(step.entropy_threshold, static_cast<double>(0.6f));
}

TEST_F(PooledOfTwo, DividesByTheDeviationOfTheBatch) {
  auto s = settings();
  s.rule.divisor = grpo::Divisor::batch;
  s.rule.epsilon = 0;
  const auto a = pooled(s);
  EXPECT_NEAR(a.advantages_of(0)[1], 1 / std::sqrt(2.0 / 3.0), 1e-12);
  EXPECT_EQ(a.advantages_of(1), (std::vector<double>{0, 0}));
}

// The second reward is the first turned round and ten times as large: with its weight of a tenth the sum says nothing,
// but each by itself does.
TEST_F(PooledOfTwo, NormalisesEachRewardByItself) {
  auto s = settings();
  s.gdpo = true;
  EXPECT_GT(std::abs(pooled(s).advantages_of(0)[0]), 0.5);
  s.rule.most = 0.25;
  EXPECT_EQ(pooled(s).advantages_of(0)[1], 0.25);
}

}  // namespace
}  // namespace compeer::train
