// Supervised training of a small run, in memory.
#include <gtest/gtest.h>

#include <cmath>

#include "small_run.h"

namespace compeer::train {
namespace {

SmallRun::Sets sft(SmallRun::Sets more = {}) {
  more.insert(more.begin(), {{"task", "sft"}, {"sft", {{"batch", 2}, {"steps", 6}, {"lr", 0.03}}}});
  return more;
}

std::vector<double> losses(SmallRun& small) {
  testing::internal::CaptureStderr();
  run_sft(small.run);
  testing::internal::GetCapturedStderr();
  return record::RunReader(small.folder / "run.h5").column("loss");
}

TEST(Sft, LearnsAnAnswerByHeart) {
  SmallRun small(five_dialogues(), sft());
  const auto loss = losses(small);
  ASSERT_EQ(loss.size(), 6u);
  EXPECT_LT(loss.back(), 0.8 * loss.front());
}

TEST(Sft, ValidatesOnAnswersOfItsSplit) {
  SmallRun small(five_dialogues(), sft({{"validation.every", 3}}));
  losses(small);
  const auto held_out = record::RunReader(small.folder / "run.h5").column("validation/loss");
  EXPECT_TRUE(std::isnan(held_out[0]));
  EXPECT_FALSE(std::isnan(held_out[2]));
}

TEST(Sft, RefusesRecordsWithoutAnswers) {
  SmallRun small({said("a", {"hello"}, "")}, sft());
  EXPECT_NE(complaint([&] { run_sft(small.run); }).find("sft learns answers: is this the right data set?"),
            std::string::npos);
}

// All tokens are learned: then an answer may be missing.
TEST(Sft, CanLearnWhatEveryoneSays) {
  SmallRun small({said("a", {"hello"}, "")}, sft({{"sft.loss_on", "all"}}));
  EXPECT_EQ(losses(small).size(), 6u);
}

TEST(Sft, EstimatesItsMemoryBeforeItBegins) {
  SmallRun small(five_dialogues(), sft());
  EXPECT_GT(memory_of_sft(small.run), 1);
}

}  // namespace
}  // namespace compeer::train
