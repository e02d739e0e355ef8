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

/// Whether the rewards of a GRPO run teach anything. It reads the rows of run.h5 in their order, those of an earlier
/// start included, and warns once:
///   - of a run in which for `patience` steps one after the other (or in all of its steps, if it has fewer) every
///     advantage was 0: nobody had an opinion, rewards were equal within every group, or the steps were left out;
///   - of a reward that for as long scored no completion, or gave all of them the same number.
class RewardSignal {
 public:
  /// With half of all groups of equal rewards and 4 groups a step, ten such steps in a row come by chance once in
  /// 10^12 steps; where rewards are rare and groups few, it is time to hear of it.
  static constexpr int patience = 10;

  /// `rewards`: labels and columns ("curious", "rewards/curious/score") of those that have a weight.
  explicit RewardSignal(std::vector<std::pair<std::string, std::string>> rewards);

  /// Warnings that this row gives rise to. `last`: no other row follows.
  std::vector<std::string> warnings_after(const MetricRow& row, bool last);

 private:
  struct Reward {
    std::string label, column;
    int unjudged = 0, equal = 0;  // steps one after the other
    double value = 0;             // that all completions of these had
    bool warned = false;
  };
  void count(const MetricRow& row);
  std::string about_all(const MetricRow& row) const;
  static std::string about(const Reward& reward);

  std::vector<Reward> rewards_;
  int silent_ = 0, unjudged_ = 0, left_out_ = 0;  // steps one after the other
  bool taught_ = false, warned_ = false;
};

/// Enforces the setting `most_unreadable` of rewards: the maximum share, 0 to 1, of a judge's answers that can't be
/// read. A reward that asks models has that setting and the columns `asked` (answers) and `unreadable`.
class UnreadableAnswers {
 public:
  static constexpr uint64_t window = 10;  ///< steps whose answers check() counts

  struct Limit {
    std::string reward;   ///< its label
    std::string setting;  ///< "rewards[0].most_unreadable"
    double most = 1;
  };
  /// The limits of those rewards that have the two columns.
  static std::vector<Limit> limits_of(const std::vector<RewardTerm>& rewards);

  /// `steps`: steps of the run.
  UnreadableAnswers(std::vector<Limit> limits, uint64_t steps);

  /// Adds the row of a step. Returns a warning for each reward whose share in this step is above its maximum, once per
  /// reward. When a run is resumed, add the rows of its earlier steps first.
  std::vector<std::string> warnings_after(const MetricRow& row);

  /// Throws Error (exit 4) if the share of a reward over the last `window` steps (or all steps of a shorter run)
  /// exceeds its maximum, or must when the window is full: each missing step counts as the step with most answers, all
  /// readable.
  void check() const;

 private:
  struct Step {
    double number, asked, unreadable;  // number of the step; means per completion, 0 if not finite
  };
  struct Reward {
    Limit limit;
    std::deque<Step> steps = {};
    bool warned = false;
  };
  uint64_t steps_;
  std::vector<Reward> rewards_;
};

/// Both for a GRPO run: writes the warnings into its journal.
class RewardWarnings {
 public:
  RewardWarnings(RunContext& run, uint64_t steps);

  /// When a run is resumed: reads the rows of its earlier steps, without repeating their warnings. The journal must be
  /// open. Collective.
  void read_earlier_rows();

  /// Warns if rewards teach nothing. Collective.
  void warn(uint64_t t, const MetricRow& row);

  /// Rank 0: warns of answers that rewards can't read, and throws Error (exit 4) if they are too many.
  void check_answers(uint64_t t, const MetricRow& row);

 private:
  RunContext& run_;
  const uint64_t steps_;
  RewardSignal signal_;
  UnreadableAnswers answers_;
};

}  // namespace compeer::train
