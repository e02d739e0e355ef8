#include "train/metrics/reward_warnings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace compeer::train {
namespace {

const std::vector<std::string> columns{"step",        "advantage_abs",   "left_out",    "reward",
                                       "rewards/a/x", "rewards/a/x_std", "rewards/b/y", "rewards/b/y_std"};
constexpr double nobody = std::numeric_limits<double>::quiet_NaN();

struct Step {
  double advantage = 1, reward = 0, a = 0, a_std = 1, b = 0, b_std = 1, left_out = 0;
};

const Step good{},
    unjudged{.advantage = 0, .reward = nobody, .a = nobody, .a_std = nobody, .b = nobody, .b_std = nobody};

// Returns the warnings after these steps, each with its step: "10: ...".
std::vector<std::string> said(const std::vector<Step>& steps, bool finished = false) {
  RewardSignal signal({{"a", "rewards/a/x"}, {"b", "rewards/b/y"}});
  std::vector<std::string> all;
  for (size_t t = 1; t <= steps.size(); ++t) {
    const Step& s = steps[t - 1];
    MetricRow row(columns);
    const double values[] = {static_cast<double>(t), s.advantage, s.left_out, s.reward, s.a, s.a_std, s.b, s.b_std};
    for (size_t i = 0; i < columns.size(); ++i) row.set(columns[i], values[i]);
    for (const auto& text : signal.warnings_after(row, finished && t == steps.size()))
      all.push_back(std::to_string(t) + ": " + text);
  }
  return all;
}

std::vector<Step> times(size_t count, const Step& step) { return std::vector<Step>(count, step); }

std::vector<Step> operator+(std::vector<Step> a, const std::vector<Step>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

using Texts = std::vector<std::string>;

TEST(RewardSignal, IsSilentWhileSomethingIsLearned) {
  EXPECT_EQ(said(times(30, good), true), Texts{});
  EXPECT_EQ(said(times(9, unjudged) + times(1, good) + times(9, unjudged), true), Texts{});
}

TEST(RewardSignal, SaysOnceThatNobodyJudges) {
  EXPECT_EQ(
      said(times(2, good) + times(25, unjudged), true),
      Texts{"12: the last 10 steps gave no training signal: no reward scored any completion; compeer log group RUN "
            "--step 12 --prompt 0 shows completions and their rewards"});
}

TEST(RewardSignal, SaysItAtTheEndOfAShortRun) {
  EXPECT_EQ(said(times(3, unjudged), true).at(0).substr(0, 57),
            "3: the last 3 steps gave no training signal: no reward sc");
  EXPECT_EQ(said(times(1, unjudged), true).at(0).substr(0, 43), "1: the only step gave no training signal: n");
  EXPECT_EQ(said(times(3, unjudged), false), Texts{});
}

TEST(RewardSignal, SaysThatRewardsAreEqualAndWhatTheyAre) {
  EXPECT_EQ(said(times(11, {.advantage = 0, .a = 0.5, .a_std = 0, .b_std = 0.25})),
            Texts{"10: the last 10 steps gave no training signal: within every group all rewards were equal (of every "
                  "completion 'a' was 0.5). Use rewards that differ between the completions of a prompt, or more "
                  "varied completions (sampling.temperature, grpo.group_size); compeer log group RUN --step 10 "
                  "--prompt 0 shows completions and their rewards"});
}

TEST(RewardSignal, SaysThatEveryStepIsLeftOut) {
  EXPECT_EQ(
      said(times(10, {.left_out = 1})),
      Texts{
          "10: the last 10 steps gave no training signal: left out, because rewards, loss or gradient are not finite"});
}

TEST(RewardSignal, NamesTheOneRewardThatIsSilent) {
  EXPECT_EQ(said(times(20, {.a = nobody, .a_std = nobody}), true),
            Texts{"10: reward 'a' scored no completion of the last 10 steps"});
  EXPECT_EQ(
      said(times(20, {.a_std = 0, .b = -1, .b_std = 0})),
      (Texts{"10: reward 'a' was 0 for every completion of the last 10 steps: it does not distinguish completions",
             "10: reward 'b' was -1 for every completion of the last 10 steps: it does not distinguish completions"}));
  // A part that changes from step to step is not constant.
  std::vector<Step> other;
  for (int i = 0; i < 20; ++i) other.push_back({.a = i * 1.0, .a_std = 0});
  EXPECT_EQ(said(other), Texts{});
}

const std::vector<std::string> answer_columns{"step", "rewards/judge/asked", "rewards/judge/unreadable"};

struct Seen {
  std::vector<std::string> warnings;  // "3: ...", with the step
  std::string error;                  // empty if the run continues
};

// Simulates steps with `asked` answers each, where the fraction shares[t] can't be parsed, until an error ends the run.
Seen seen(const std::vector<double>& shares, double most, uint64_t steps, double asked = 4) {
  UnreadableAnswers answers({{"judge", "rewards[1].max_unreadable", most}}, steps);
  Seen all;
  for (size_t t = 1; t <= shares.size() && all.error.empty(); ++t) {
    MetricRow row(answer_columns);
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

std::vector<double> shares(size_t count, double share) { return std::vector<double>(count, share); }

TEST(UnreadableAnswers, EndARunOnceTenStepsCanNotKeepToTheLimit) {
  const auto none = seen(shares(12, 0.75), 0.1, 12);
  EXPECT_EQ(none.warnings,
            std::vector<std::string>{"1: reward 'judge' could not parse 75.0 % of the answers in step 1; the run stops "
                                     "if it is more than 10 % in 10 steps (rewards[1].max_unreadable)"});
  EXPECT_EQ(none.error,
            "reward 'judge': could not parse 75.0 % of the answers in steps 1 to 2; 'rewards[1].max_unreadable' "
            "allows 10 %\n  help: check that the reward calls the right model, with the prompt format that the model "
            "was trained on; log.txt contains such an answer, compeer log group RUN --step 2 --prompt 0 shows a group "
            "of the step; to continue anyway, raise max_unreadable");
}

TEST(UnreadableAnswers, EndARunByItsTenthStepAtTheLatest) {
  EXPECT_NE(seen(shares(12, 0.125), 0.1, 12).error.find("in steps 1 to 9;"), std::string::npos) << "9/8 of a step";
  EXPECT_EQ(seen(shares(30, 0.0625), 0.1, 30).error, "");
  EXPECT_EQ(seen(shares(30, 0.125), 0.125, 30).error, "") << "as many as are allowed";
  EXPECT_EQ(seen(shares(30, 1), 1, 30).warnings.size(), 0u);
}

TEST(UnreadableAnswers, LookAtTheLastTenSteps) {
  auto later = shares(20, 0);
  later.insert(later.end(), 5, 1);
  const auto all = seen(later, 0.1, 40);
  EXPECT_EQ(all.warnings.at(0).substr(0, 61), "21: reward 'judge' could not parse 100.0 % of the answers in ");
  EXPECT_NE(all.error.find("could not parse 20.0 % of the answers in steps 13 to 22;"), std::string::npos) << all.error;
}

TEST(UnreadableAnswers, LookAtAllOfAShortRun) {
  EXPECT_NE(seen(shares(1, 0.5), 0.1, 1).error.find("could not parse 50.0 % of the answers in step 1;"),
            std::string::npos);
  EXPECT_NE(seen(shares(1, 0.5), 0.1, 1).warnings.at(0).find("more than 10 % in 1 step ("), std::string::npos);
  EXPECT_EQ(seen(shares(3, 0), 0.0, 3).error, "");
}

TEST(UnreadableAnswers, SayNothingOfStepsThatAskNothing) {
  const auto all = seen(shares(12, 1), 0.0, 12, 0);
  EXPECT_EQ(all.warnings.size(), 0u);
  EXPECT_EQ(all.error, "");
}

}  // namespace
}  // namespace compeer::train
