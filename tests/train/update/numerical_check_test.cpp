#include "train/update/training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../small_run.h"

namespace compeer::train {
namespace {

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
  EXPECT_EQ(decision(4), "compeer: warning: step 4 is left out: on rank 0 the gradient of prompt 2 is not finite\n");
  EXPECT_FALSE(check.any_reported());
}

TEST_F(NumericalCheckOfARun, CountsWhatItSkips) {
  auto& check = with("skip");
  check.check("prompt 3", std::nan(""), true);
  EXPECT_EQ(decision(4), "compeer: warning: step 4 is left out: on rank 0 the loss of prompt 3 is not a number\n");
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
  EXPECT_NE(text.find("nonfinite = \"skip\" leaves such steps out"), std::string::npos) << text;
  EXPECT_NE(decision(5).find("step 5: the sum of all gradients is not finite"), std::string::npos);
}

TEST_F(NumericalCheckOfARun, StopsInAnyCaseIfTheModelIsBroken) {
  auto& check = with("skip");
  check.set_model_works(false);
  EXPECT_NE(decision(4).find("step 4: the model computes numbers that are not finite"), std::string::npos);
}

}  // namespace
}  // namespace compeer::train
