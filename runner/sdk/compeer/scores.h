#pragma once
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compeer/conversation.h"

namespace compeer {

/// Marks a missing score. Any column of a reward whose `abstains` returns true may contain it.
inline constexpr double no_opinion = std::numeric_limits<double>::quiet_NaN();

/// The scores of one group (the completions of one prompt): named columns, each with one number for each completion, in
/// the order of the completions. Rewards and reweightings return them.
///
///   scores["reward"].push_back(0.5);              // a column at a time
///   scores.add({{"reward", 0.5}, {"steps", 1}});  // or a completion at a time
///
/// After Reward::score or Reweighting::reweight returns, the program checks names, lengths and numbers. A mistake ends
/// the run with exit code 5; the message names the column and the completion.
class Scores {
 public:
  using Column = std::vector<double>;                       ///< one number for each completion
  using Row = std::vector<std::pair<std::string, double>>;  ///< the numbers of one completion: column name, number

  /// Returns the column with this name, and adds an empty one if it is missing.
  Column& operator[](const std::string& name) {
    for (auto& [own, column] : columns_) {
      if (own == name) return column;
    }
    return columns_.emplace_back(name, Column()).second;
  }

  /// Returns the column with this name. Throws std::out_of_range if it is missing.
  const Column& at(const std::string& name) const {
    for (const auto& [own, column] : columns_) {
      if (own == name) return column;
    }
    throw std::out_of_range("no column '" + name + "'");
  }

  /// Appends the numbers of the next completion to their columns. Each call names every column.
  void add(const Row& row) {
    for (const auto& [name, number] : row) (*this)[name].push_back(number);
  }

  /// Returns all columns with their names, in the order of their creation.
  const std::deque<std::pair<std::string, Column>>& columns() const { return columns_; }

  nlohmann::json note;  ///< optional data about this group, which rewards with a state receive in Reward::learn

 private:
  std::deque<std::pair<std::string, Column>>
      columns_;  // names and columns; a deque, so that references to columns stay valid
};

}  // namespace compeer
