#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "train/metrics/metric_row.h"
#include "train/run.h"
#include "train/run_plugins.h"

// Warnings about the rewards of a run: rewards that can't train the model, and answers of judges
// (language models that score completions) that can't be parsed. They are computed on rank 0 from the rows of metrics
// that the run writes, one per step. The LABEL of a reward is its name in the run's settings; its metrics are
// "rewards/LABEL/PART".

namespace compeer::train {

/// Detects rewards of a GRPO run that give no training signal. Takes the rows of run.h5 in order, those before a resume
/// included, and warns once:
///   - if every advantage was 0 in `patience` consecutive steps (or in all steps of a shorter run): no reward scored
///     any completion, rewards were equal within every group, or the steps were skipped;
///   - for each reward that in `patience` consecutive steps scored no completion, or gave all of them the same number.
class RewardSignal {
 public:
  /// Number of consecutive steps without signal after which it warns. If half of all groups have equal rewards and a
  /// step has 4 groups, ten steps without signal in a row occur by chance once in 10^12 steps. With rare rewards and
  /// few groups they are more frequent, and the warning is justified.
  static constexpr int patience = 10;

  /// `rewards`: labels and columns ("curious", "rewards/curious/score") of the rewards whose weight is not 0.
  explicit RewardSignal(std::vector<std::pair<std::string, std::string>> rewards);

  /// Adds a row and returns the warnings that it causes. `last`: it is the row of the run's last step, after which a
  /// run shorter than `patience` is judged.
  std::vector<std::string> warnings_after(const MetricRow& row, bool last);

 private:
  struct Reward {
    std::string label, column;    // name of the reward; name of the metric with its mean
    int unscored = 0, equal = 0;  // consecutive steps without a score, and with one score for all completions
    double value = 0;             // mean of the last step
    bool warned = false;          // its warning was returned
  };
  void update_counters(const MetricRow& row);               // adds a row to the counts of consecutive steps
  std::string run_warning(const MetricRow& row) const;      // text of the warning that every advantage was 0
  static std::string reward_warning(const Reward& reward);  // text of the warning about one reward

  std::vector<Reward> rewards_;
  // Numbers of the last consecutive steps without signal, without any reward, and skipped.
  int no_signal_ = 0, unscored_ = 0, skipped_ = 0;
  bool any_signal_ = false;  // any step so far had an advantage other than 0
  bool warned_ = false;      // run_warning was returned
};

/// Enforces the setting `max_unreadable` of rewards: the maximum fraction, 0 to 1, of a judge's answers that can't be
/// parsed (unreadable answers). Applies to rewards with the parts `asked` and `unreadable`: for each completion, the
/// number of a judge's answers, and of those that can't be parsed.
class UnreadableAnswers {
 public:
  static constexpr uint64_t window = 10;  ///< number of last steps that `check` covers

  /// The limit of one reward.
  struct Limit {
    std::string reward;    ///< label of the reward
    std::string setting;   ///< name of the setting for messages: "rewards[0].max_unreadable"
    double max_share = 1;  ///< maximum fraction of unreadable answers
  };
  /// Returns the limits of those rewards that have the two parts.
  static std::vector<Limit> limits_of(const std::vector<RewardTerm>& rewards);

  /// `steps`: number of steps of the run, those before a resume included.
  UnreadableAnswers(std::vector<Limit> limits, uint64_t steps);

  /// Adds the row of a step. Returns a warning for each reward whose fraction is above its maximum in this step for the
  /// first time. When a run is resumed, add the rows of its earlier steps first.
  std::vector<std::string> warnings_after(const MetricRow& row);

  /// Throws Error (exit code 4: unusable data) if the unreadable answers of a reward in the last `window` steps (or all
  /// steps of a shorter run), divided by its answers in these steps, exceed its maximum. Before there are so many
  /// steps, the missing ones are counted as if all answers were readable, as many as in the step with the most: a run
  /// that can hardly recover ends early.
  void check() const;

 private:
  struct Step {
    double number, asked, unreadable;  // number of the step; means per completion, 0 if not finite
  };
  struct Reward {
    Limit limit;
    std::deque<Step> steps = {};  // at most the last `steps_` steps
    bool warned = false;          // its warning was returned
  };
  uint64_t steps_;  // `window`, or the number of steps of a shorter run
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

  /// To be called on rank 0. Writes the warnings after step `t` = 1, 2, ..., and throws Error (exit code 4) if too many
  /// answers are unreadable. `row`: metrics of the step. `last`: the run ends after this step.
  void check(uint64_t t, const MetricRow& row, bool last);

 private:
  RunContext& run_;
  RewardSignal signal_;
  UnreadableAnswers answers_;
};

}  // namespace compeer::train
