#include "train/batch/score_table.h"

#include <fmt/format.h>

#include <stdexcept>

namespace compeer::train {

void ScoreTable::add(const std::string& column, std::vector<double> values) {
  if (values.size() != completions_)
    throw std::logic_error(
        fmt::format("column '{}' has {} scores for {} completions", column, values.size(), completions_));
  for (const auto& [name, numbers] : columns_) {
    if (name == column) throw std::logic_error(fmt::format("column '{}' is there already", column));
  }
  columns_.emplace_back(column, std::move(values));
}

const std::vector<double>& ScoreTable::operator[](const std::string& column) const {
  for (const auto& [name, numbers] : columns_) {
    if (name == column) return numbers;
  }
  std::string names;
  for (const auto& [name, numbers] : columns_) names += (names.empty() ? "" : ", ") + name;
  throw std::logic_error(fmt::format("no column '{}' among the scores: {}", column, names));
}

}  // namespace compeer::train
