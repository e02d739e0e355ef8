#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace compeer::statistics {

/// Labels of items, each 0 ... categories - 1.
using Labels = std::vector<size_t>;

/// A contingency table: counts [rows][columns].
using ContingencyTable = std::vector<std::vector<size_t>>;

/// Returns the confusion matrix [categories, categories]: entry (i, j) counts the items with label i in `first` and j
/// in `second`, which must have the same length. For a classifier, `first` is the truth.
ContingencyTable confusion(std::span<const size_t> first, std::span<const size_t> second, size_t categories);

/// Return the sums of each row, of each column, and of the whole table.
std::vector<size_t> row_sums(const ContingencyTable& table);
std::vector<size_t> column_sums(const ContingencyTable& table);
size_t total(const ContingencyTable& table);

}  // namespace compeer::statistics
