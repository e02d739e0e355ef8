#pragma once
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compeer/conversation.h"

namespace compeer {

/// In place of a number: no opinion. Only of rewards that abstain (Reward::abstains).
inline constexpr double no_opinion = std::numeric_limits<double>::quiet_NaN();

/// The scores of one group: named columns, each with one number for each completion, in the order of the group.
///
///   scores["reward"].push_back(0.5);              // a column at a time
///   scores.add({{"reward", 0.5}, {"steps", 1}});  // or a completion at a time
///
/// The program checks names, lengths and numbers when the call is over, and names the completion that is wrong.
class Scores {
 public:
  using Column = std::vector<double>;
  using Row = std::vector<std::pair<std::string, double>>;

  /// The column of that name, which is added if it is missing.
  Column& operator[](const std::string& name) {
    for (auto& [own, column] : columns_) {
      if (own == name) return column;
    }
    return columns_.emplace_back(name, Column()).second;
  }

  /// Throws std::out_of_range if there is no such column.
  const Column& at(const std::string& name) const {
    for (const auto& [own, column] : columns_) {
      if (own == name) return column;
    }
    throw std::out_of_range("no column '" + name + "'");
  }

  /// The numbers of the next completion, each at the end of its column.
  void add(const Row& row) {
    for (const auto& [name, number] : row) (*this)[name].push_back(number);
  }

  const std::vector<std::pair<std::string, Column>>& columns() const { return columns_; }

  nlohmann::json note;  ///< of a reward, about this group: passed to Reward::learn

 private:
  std::vector<std::pair<std::string, Column>> columns_;
};

}  // namespace compeer
