#pragma once
#include <string>
#include <vector>

namespace compeer::train {

/// One row of run.h5 in the making: a number for each column, NaN until set.
class MetricRow {
 public:
  explicit MetricRow(const std::vector<std::string>& columns);

  /// The column must exist: metrics are declared before the run starts.
  void set(const std::string& column, double value);
  double get(const std::string& column) const;
  bool has(const std::string& column) const;

  const std::vector<double>& values() const { return values_; }
  const std::vector<std::string>& columns() const { return *columns_; }

 private:
  size_t at(const std::string& column) const;
  const std::vector<std::string>* columns_;
  std::vector<double> values_;
};

}  // namespace compeer::train
