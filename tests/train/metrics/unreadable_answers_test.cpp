#include "train/metrics/reward_warnings.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::train {
namespace {

const std::vector<std::string> columns{"step", "rewards/judge/asked", "rewards/judge/unreadable"};

struct Seen {
  std::vector<std::string> warnings;  // "3: ...", the step
  std::string error;                  // "" if the run goes on
};

// Steps of which each has four answers, and this share of them can't be read, until an error ends the run.
Seen seen(const std::vector<double>& shares, double most, uint64_t steps, double asked = 4) {
  UnreadableAnswers answers({{"judge", "rewards[1].most_unreadable", most}}, steps);
  Seen all;
  for (size_t t = 1; t <= shares.size() && all.error.empty(); ++t) {
    MetricRow row(columns);
    row.set("step", static_cast<double>(t));
    row.set("rewards/judge/asked", asked);
    row.set("rewards/judge/unreadable", asked * shares[t - 1]);
    for (const auto& text : answers.warnings_after(row)) all.warnings.push_back(std::to_string(t) + ": " + text);
    try {
      answers.check();
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      all.error = error.what();
    }
  }
  return all;
}

std::vector<double> times(size_t count, double share) { return std::vector<double>(count, share); }

TEST(UnreadableAnswers, EndARunOnceTenStepsCanNotKeepToTheLimit) {
  const auto none = seen(times(12, 0.75), 0.1, 12);
  EXPECT_EQ(none.warnings, std::vector<std::string>{
                               "1: reward 'judge' could not read 75.0 % of the answers in step 1; the run ends if "
                               "it is more than 10 % in 10 steps (rewards[1].most_unreadable)"});
  EXPECT_EQ(none.error,
            "reward 'judge': could not read 75.0 % of the answers in steps 1 to 2; 'rewards[1].most_unreadable' allows "
            "10 %\n  help: check that the reward asks the right model, in the form that this model was trained in; "
            "log.txt has such an answer, compeer log group RUN --step 2 --prompt 0 what it was about; a larger "
            "most_unreadable lets the run go on");
}

TEST(UnreadableAnswers, EndARunByItsTenthStepAtTheLatest) {
  EXPECT_NE(seen(times(12, 0.125), 0.1, 12).error.find("in steps 1 to 9;"), std::string::npos) << "9/8 of a step";
  EXPECT_EQ(seen(times(30, 0.0625), 0.1, 30).error, "");
  EXPECT_EQ(seen(times(30, 0.125), 0.125, 30).error, "") << "as many as are allowed";
  EXPECT_EQ(seen(times(30, 1), 1, 30).warnings.size(), 0u);
}

TEST(UnreadableAnswers, LookAtTheLastTenSteps) {
  auto later = times(20, 0);
  later.insert(later.end(), 5, 1);
  const auto all = seen(later, 0.1, 40);
  EXPECT_EQ(all.warnings.at(0).substr(0, 60), "21: reward 'judge' could not read 100.0 % of the answers in ");
  EXPECT_NE(all.error.find("could not read 20.0 % of the answers in steps 13 to 22;"), std::string::npos) << all.error;
}

TEST(UnreadableAnswers, LookAtAllOfAShortRun) {
  EXPECT_NE(seen(times(1, 0.5), 0.1, 1).error.find("could not read 50.0 % of the answers in step 1;"),
            std::string::npos);
  EXPECT_NE(seen(times(1, 0.5), 0.1, 1).warnings.at(0).find("more than 10 % in 1 step ("), std::string::npos);
  EXPECT_EQ(seen(times(3, 0), 0.0, 3).error, "");
}

TEST(UnreadableAnswers, SayNothingOfStepsThatAskNothing) {
  const auto all = seen(times(12, 1), 0.0, 12, 0);
  EXPECT_EQ(all.warnings.size(), 0u);
  EXPECT_EQ(all.error, "");
}

}  // namespace
}  // namespace compeer::train
