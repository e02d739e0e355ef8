#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "train/metrics/metric_row.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// Holds the rewards of a run to their setting `most_unreadable`, the maximum share of answers that can't be read. A
/// reward that asks models has the columns `asked` (answers) and `unreadable`, and that setting. The share is counted
/// over the last `window` steps, or over all steps of a shorter run.
class UnreadableAnswers {
 public:
  static constexpr uint64_t window = 10;

  struct Limit {
    std::string reward;   ///< its label
    std::string setting;  ///< "rewards[0].most_unreadable"
    double most = 1;
  };
  /// The limits of those rewards that have the two columns.
  static std::vector<Limit> limits_of(const std::vector<RewardTerm>& rewards);

  /// `steps`: steps of the run.
  UnreadableAnswers(std::vector<Limit> limits, uint64_t steps);

  /// Adds the row of a step. Returns a warning for each reward whose share is above its maximum for the first time.
  std::vector<std::string> warnings_after(const MetricRow& row);

  /// Throws Error (exit 4) if the share of a reward is above its maximum, or will be once the window is full, even if
  /// every later answer can be read: later steps count as many answers as the largest of those seen.
  void check() const;

 private:
  struct Step {
    double number, asked, unreadable;  // number: of the step; means over its completions
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
