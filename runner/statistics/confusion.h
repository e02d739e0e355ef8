#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace compeer::statistics {

/// Labels are numbers 0 ... categories - 1 everywhere in this room.
using Labels = std::vector<size_t>;

/// Counts by row and column, all rows equally long.
using ContingencyTable = std::vector<std::vector<size_t>>;

/// How often the first says the row's label while the second says the column's. For a classifier the truth is the
/// first. Both as long as each other.
ContingencyTable confusion(std::span<const size_t> first, std::span<const size_t> second, size_t categories);

/// Sums of the rows or columns of a table, and of all of it.
std::vector<size_t> row_sums(const ContingencyTable& table);
std::vector<size_t> column_sums(const ContingencyTable& table);
size_t total(const ContingencyTable& table);

}  // namespace compeer::statistics
