#include "train/update/training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../small_run.h"

namespace compeer::train {
namespace {

class TrainingOfARun : public testing::Test {
 protected:
  Training& with(const SmallRun::Sets& sets = {}) {
    small.emplace(five_dialogues(), sets);
    return again();
  }
  Training& again() {
    made.emplace(small->run, 0.1, 10);
    return *made;
  }
  std::vector<float> weights() {
    const auto all = made->parameters.weights();
    return {all.begin(), all.end()};
  }
  // Makes one update by a gradient that is `value` everywhere.
  Optimizer::Update update(float value, double loss = 1) {
    auto sum = made->gradients(1);
    std::ranges::fill(sum.next_leaf_buffer(), value);
    sum.add(0, sum.next_leaf_buffer());
    PhaseClock clock;
    return made->update(1, loss, sum, clock);
  }
  std::optional<SmallRun> small;
  std::optional<Training> made;
};

// The first step of Adam has the size of the learning rate.
TEST_F(TrainingOfARun, MovesTheWeightsAgainstTheGradient) {
  with({{"optimizer.max_grad_norm", 1e9}});
  const auto before = weights();
  const auto done = update(2.0f);
  const auto after = weights();
  for (size_t i = 0; i < 10; ++i) EXPECT_NEAR(after[i], before[i] - 0.1f, 1e-5) << i;
  EXPECT_EQ(done.lr, 0.1);
  EXPECT_NEAR(done.gradient_norm, 2 * std::sqrt(static_cast<double>(before.size())), 1e-3);
}

TEST_F(TrainingOfARun, SkipsAnUpdateThatIsNotFinite) {
  with({{"nonfinite", "skip"}});
  open_journal(small->run, "grpo", {"left_out"}, {}, 2, {});
  const auto before = weights();
  testing::internal::CaptureStderr();
  EXPECT_TRUE(std::isnan(update(1, std::nan("")).lr));
  EXPECT_TRUE(std::isnan(update(std::numeric_limits<float>::infinity()).lr));
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(weights(), before);
  EXPECT_EQ(made->numerical_check.take_skipped(), 2);
}

TEST_F(TrainingOfARun, LendsTheModelTheWeightsThatTheRunBeganWith) {
  auto& training = with();
  training.keep_reference();
  const auto first = weights();
  update(1);
  const auto now = weights();
  ASSERT_NE(now, first);
  std::vector<float> scratch(now.size());
  training.with_reference_weights(scratch, [&] { EXPECT_EQ(weights(), first); });
  EXPECT_EQ(weights(), now);
  EXPECT_THROW(training.with_reference_weights(scratch, [] { throw Error("", "no"); }), Error);
  EXPECT_EQ(weights(), now);
}

// A checkpoint contains the state of the optimizer and the task's numbers.
TEST_F(TrainingOfARun, GoesOnFromACheckpoint) {
  auto& first = with();
  first.numbers["entropy_bonus"] = 0.25;
  update(1);
  const auto saved = weights();
  const auto folder = small->folder / "saved";
  std::filesystem::create_directories(folder);
  first.save(folder);
  update(-3);
  const auto expected = weights();

  small->run.start = {1, folder, {}};
  auto& second = again();
  EXPECT_EQ(second.numbers.at("entropy_bonus"), 0.25);
  std::ranges::copy(saved, second.parameters.weights().begin());  // in a run, the model plugin reads these
  update(-3);
  EXPECT_EQ(weights(), expected);
}

class NumericalCheckOfARun : public testing::Test {
 protected:
  NumericalCheck& with(const std::string& nonfinite) {
    small.emplace(five_dialogues(), SmallRun::Sets{{"nonfinite", nonfinite}});
    open_journal(small->run, "grpo", {"left_out"}, {}, 2, {});
    made.emplace(small->run);
    return *made;
  }
  std::string decision(uint64_t step) {
    testing::internal::CaptureStderr();
    const auto text = complaint([&] { made->stop_or_skip(step); });
    const auto log = testing::internal::GetCapturedStderr();
    return text == "nothing" ? log : text;
  }
  std::optional<SmallRun> small;
  std::optional<NumericalCheck> made;
};

TEST_F(NumericalCheckOfARun, ReportsLossesAndGradientsThatAreNotFinite) {
  auto& check = with("skip");
  check.check("prompt 1", 0.5, true);
  EXPECT_FALSE(check.any_reported());
  check.check("prompt 2", 0.5, false);
  check.check("prompt 3", std::nan(""), true);
  EXPECT_TRUE(check.any_reported());
  EXPECT_EQ(decision(4), "compeer: warning: step 4 is left out: on rank 0: the gradient of prompt 2 is not finite\n");
  EXPECT_FALSE(check.any_reported());
}

TEST_F(NumericalCheckOfARun, CountsWhatItSkips) {
  auto& check = with("skip");
  check.check("prompt 3", std::nan(""), true);
  EXPECT_EQ(decision(4), "compeer: warning: step 4 is left out: on rank 0: the loss of prompt 3 is not a number\n");
  EXPECT_EQ(decision(5), "compeer: warning: step 5 is left out: the sum of all gradients is not finite\n");
  EXPECT_EQ(check.take_skipped(), 2);
  EXPECT_EQ(check.take_skipped(), 0);
}

TEST_F(NumericalCheckOfARun, StopsTheRunIfTheSpecSaysSo) {
  auto& check = with("stop");
  EXPECT_FALSE(check.skips_steps());
  check.check("prompts 2 to 3", std::numeric_limits<double>::infinity(), true);
  const auto text = decision(4);
  EXPECT_NE(text.find("step 4: the loss of prompts 2 to 3 is infinite"), std::string::npos) << text;
  EXPECT_NE(text.find("set nonfinite = \"skip\" to leave such steps out"), std::string::npos) << text;
  EXPECT_NE(decision(5).find("step 5: the sum of all gradients is not finite"), std::string::npos);
}

TEST_F(NumericalCheckOfARun, StopsInAnyCaseIfTheModelIsBroken) {
  auto& check = with("skip");
  check.set_model_works(false);
  EXPECT_NE(decision(4).find("step 4: the model computes numbers that are not finite"), std::string::npos);
}

}  // namespace
}  // namespace compeer::train
