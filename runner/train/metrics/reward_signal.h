#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "train/metrics/metric_row.h"

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

}  // namespace compeer::train
