#include "app/log/figures.h"

#include <gtest/gtest.h>

namespace compeer::app {
namespace {

// "group/name" of those chosen, in their order.
std::vector<std::string> chosen(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const auto& [group, name] : key_figures(names)) found.push_back(group + ": " + name);
  return found;
}
using Names = std::vector<std::string>;

TEST(KeyFigures, OfTrainingByGrpoAreTenOfMany) {
  EXPECT_EQ(chosen({"step",
                    "reward",
                    "reward_std",
                    "rewards/a/score",
                    "rewards/a/score_std",
                    "rewards/b/part",
                    "rewards/b/part_share",
                    "group_std",
                    "zero_variance",
                    "length",
                    "truncated",
                    "entropy",
                    "distinct_1",
                    "distinct_2",
                    "loss",
                    "grad_norm",
                    "lr",
                    "tokens_per_second",
                    "peak_memory",
                    "seconds/rollout",
                    "seconds/step"}),
            (Names{"result: reward", "policy: entropy", "policy: zero_variance", "completions: length",
                   "completions: truncated", "completions: distinct_2", "cost: seconds/step", "result: rewards/a/score",
                   "result: rewards/b/part", "result: loss"}));
}

TEST(KeyFigures, OfSupervisedTrainingAreAllThatItHas) {
  EXPECT_EQ(chosen({"step", "loss", "grad_norm", "lr", "tokens", "tokens_per_second", "seconds/read", "seconds/train",
                    "seconds/reduce", "seconds/step"}),
            (Names{"cost: seconds/step", "result: loss", "policy: grad_norm", "cost: tokens_per_second", "policy: lr",
                   "other: tokens", "other: seconds/read", "other: seconds/train", "other: seconds/reduce"}));
}

TEST(KeyFigures, OfMetricsThatNobodyKnowsAreTheFirst) {
  Names many;
  for (int i = 0; i < 20; ++i) many.push_back("m" + std::to_string(i));
  EXPECT_EQ(chosen(many).size(), 10u);
  EXPECT_EQ(chosen({"in", "out"}), (Names{"other: in", "other: out"}));
}

TEST(FiguresText, StandsUnderHeadingsWithUnitsAndIntervals) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<RunFigure> figures{{"kl", none, none, none, 0},
                                       {"length", 23.125, 20, 26.5, 8},
                                       {"reward", 0.5, none, none, 8},
                                       {"truncated", 0.125, 0.1, 0.15, 8}};
  EXPECT_EQ(figures_text(figures),
            "              mean         95% interval\n"
            "result\n"
            "  reward       0.5\n"
            "policy\n"
            "  kl             - nats\n"
            "completions\n"
            "  length     23.12 tokens  20 .. 26.5\n"
            "  truncated   12.5 %       10 .. 15\n");
  EXPECT_EQ(figures_text({figures[2]}, true), "        mean\nreward   0.5\n");
}

}  // namespace
}  // namespace compeer::app
