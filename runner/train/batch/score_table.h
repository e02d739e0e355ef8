#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace compeer::train {

/// The scores of one group: columns with names, each with one number for each completion. NaN: no opinion.
///
///   scores["rewards/format/reward"][2]     // of the third completion
class ScoreTable {
 public:
  explicit ScoreTable(size_t completions) : completions_(completions) {}

  /// Of as many numbers as there are completions. A second column of that name is an error of ours.
  void add(const std::string& column, std::vector<double> values);

  /// A name that isn't there is an error of ours, which names the columns that are.
  const std::vector<double>& operator[](const std::string& column) const;

  size_t completions() const { return completions_; }

  /// What each reward has noted of the group, in the order of the rewards (Reward::learn).
  std::vector<nlohmann::json> notes;

 private:
  size_t completions_;
  std::vector<std::pair<std::string, std::vector<double>>> columns_;
};

}  // namespace compeer::train
