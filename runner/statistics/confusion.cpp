// Confusion matrices and their sums.
#include "statistics/confusion.h"

#include <cassert>
#include <numeric>

namespace compeer::statistics {

ContingencyTable confusion(std::span<const size_t> first, std::span<const size_t> second, size_t categories) {
  assert(first.size() == second.size());
  ContingencyTable table(categories, std::vector<size_t>(categories));
  for (size_t i = 0; i < first.size(); ++i) ++table.at(first[i]).at(second[i]);
  return table;
}

std::vector<size_t> row_sums(const ContingencyTable& table) {
  std::vector<size_t> sums;
  for (const auto& row : table) sums.push_back(std::accumulate(row.begin(), row.end(), size_t{0}));
  return sums;
}

std::vector<size_t> column_sums(const ContingencyTable& table) {
  std::vector<size_t> sums(table.empty() ? 0 : table.front().size());
  for (const auto& row : table)
    for (size_t k = 0; k < row.size(); ++k) sums[k] += row[k];
  return sums;
}

size_t total(const ContingencyTable& table) {
  const auto sums = row_sums(table);
  return std::accumulate(sums.begin(), sums.end(), size_t{0});
}

}  // namespace compeer::statistics
