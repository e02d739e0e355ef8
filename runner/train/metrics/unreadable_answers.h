#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "train/metrics/metric_row.h"
#include "train/run_plugins.h"

namespace compeer::train {

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

}  // namespace compeer::train
