#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "train/metrics/metric_row.h"
#include "train/run.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// Detects rewards of a GRPO run that give no training signal. Takes the rows of run.h5 in order, those before a resume
/// included, and warns once:
///   - if every advantage was 0 in `patience` consecutive steps (or in all steps of a shorter run): no reward scored
///     any completion, rewards were equal within every group, or the steps were skipped;
///   - for each reward that in `patience` consecutive steps scored no completion, or gave all of them the same number.
class RewardSignal {
 public:
  /// Number of steps. If half of all groups have equal rewards and a step has 4 groups, ten steps without signal in a
  /// row occur by chance once in 10^12 steps. With rare rewards and few groups they are more frequent, and the warning
  /// is justified.
  static constexpr int patience = 10;

  /// `rewards`: labels and columns ("curious", "rewards/curious/score") of the rewards whose weight is not 0.
  explicit RewardSignal(std::vector<std::pair<std::string, std::string>> rewards);

  /// Adds a row and returns the warnings that it causes. `last`: it is the row of the run's last step, after which a
  /// run shorter than `patience` is judged.
  std::vector<std::string> warnings_after(const MetricRow& row, bool last);

 private:
  // A reward that is watched, with its column in the rows.
  struct Reward {
    std::string label, column;
    int unscored = 0, equal = 0;  // consecutive steps without a score, and with one score for all completions
    double value = 0;             // mean of the last step
    bool warned = false;
  };
  void update_counters(const MetricRow& row);
  // Return the warning about all rewards together, and about one reward.
  std::string run_warning(const MetricRow& row) const;
  static std::string reward_warning(const Reward& reward);

  std::vector<Reward> rewards_;
  // Consecutive steps without signal, without any reward, and skipped.
  int no_signal_ = 0, unscored_ = 0, skipped_ = 0;
  bool any_signal_ = false, warned_ = false;
};

/// Enforces the setting `max_unreadable` of rewards: the maximum fraction, 0 to 1, of a judge's answers that can't be
/// parsed. Applies to rewards with the columns `asked` and `unreadable`: answers of a completion, and those of them
/// that can't be parsed.
class UnreadableAnswers {
 public:
  static constexpr uint64_t window = 10;  ///< number of steps that `check` covers

  struct Limit {
    std::string reward;    ///< label of the reward
    std::string setting;   ///< "rewards[0].max_unreadable"
    double max_share = 1;  ///< maximum fraction of unreadable answers
  };
  /// The limits of those rewards that have the two columns.
  static std::vector<Limit> limits_of(const std::vector<RewardTerm>& rewards);

  /// `steps`: number of steps of the run, those before a resume included.
  UnreadableAnswers(std::vector<Limit> limits, uint64_t steps);

  /// Adds the row of a step. Returns a warning for each reward whose fraction is above its maximum in this step for the
  /// first time. When a run is resumed, add the rows of its earlier steps first.
  std::vector<std::string> warnings_after(const MetricRow& row);

  /// Throws Error (exit 4) if the unreadable answers of a reward in the last `window` steps (or all steps of a shorter
  /// run), divided by its answers in these steps, exceed its maximum. Before there are so many steps, the missing ones
  /// are counted as if all answers were readable, as many as in the step with the most: a run that can hardly recover
  /// ends early.
  void check() const;

 private:
  struct Step {
    double number, asked, unreadable;  // number of the step; means per completion, 0 if not finite
  };
  struct Reward {
    Limit limit;
    std::deque<Step> steps = {};  // the last `window` steps
    bool warned = false;
  };
  uint64_t steps_;
  std::vector<Reward> rewards_;
};

/// Applies RewardSignal and UnreadableAnswers to a GRPO run, and writes the warnings to its journal.
class RewardWarnings {
 public:
  /// `steps`: number of steps of the run. Keeps a reference to `run`.
  RewardWarnings(RunContext& run, uint64_t steps);

  /// Collective. When a run is resumed, reads the rows of its earlier steps, without repeating their warnings. The
  /// journal must be open.
  void read_earlier_rows();

  /// To be called on rank 0. Writes the warnings after step `t` = 1, 2, ..., and throws Error (exit 4) if too many
  /// answers are unreadable. `last`: the run ends after this step.
  void check(uint64_t t, const MetricRow& row, bool last);

 private:
  RunContext& run_;
  RewardSignal signal_;
  UnreadableAnswers answers_;
};

}  // namespace compeer::train
