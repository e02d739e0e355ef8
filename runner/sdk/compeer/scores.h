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

/// A table that a plugin fills: one row for each completion, with a number for each of its named columns. Rows and
/// columns may be added in any order.
///
///   scores.add(completion, {{"reward", 0.5}, {"questions", 1}});
///
/// The program checks the table when the call is over. A column of another name, a number that is missing or given
/// twice, is an error that names the completion and the column.
class Scores {
 public:
  using Columns = std::vector<std::pair<std::string, double>>;
  struct Row {
    const Completion* completion;
    Columns columns;
  };

  /// `completion` must be an element of `group.completions` itself, because it is recognised by its address:
  /// `for (const auto& completion : group.completions)`.
  void add(const Completion& completion, Columns columns) { rows_.push_back({&completion, std::move(columns)}); }

  /// What `Reward::learn` is to be given of a group.
  void note(const Group& group, nlohmann::json note) { notes_.emplace_back(&group, std::move(note)); }

  /// What was added, in the order of the calls.
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<std::pair<const Group*, nlohmann::json>>& notes() const { return notes_; }

  /// One column of it, for unit tests. Throws std::out_of_range if a row lacks it.
  std::vector<double> column(const std::string& name) const {
    std::vector<double> values;
    for (const Row& row : rows_) values.push_back(number(row, name));
    return values;
  }

 private:
  static double number(const Row& row, const std::string& name) {
    for (const auto& [own, value] : row.columns) {
      if (own == name) return value;
    }
    throw std::out_of_range("a row has no column '" + name + "'");
  }

  std::vector<Row> rows_;
  std::vector<std::pair<const Group*, nlohmann::json>> notes_;
};

}  // namespace compeer
