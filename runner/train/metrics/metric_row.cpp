// A row of metrics with named columns.
#include "train/metrics/metric_row.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace compeer::train {

MetricRow::MetricRow(const std::vector<std::string>& columns)
    : columns_(&columns), values_(columns.size(), std::numeric_limits<double>::quiet_NaN()) {}

size_t MetricRow::at(const std::string& column) const {
  const auto found = std::find(columns_->begin(), columns_->end(), column);
  if (found == columns_->end()) throw std::logic_error("metric '" + column + "' was not declared");
  return static_cast<size_t>(found - columns_->begin());
}

bool MetricRow::has(const std::string& column) const {
  return std::find(columns_->begin(), columns_->end(), column) != columns_->end();
}
void MetricRow::set(const std::string& column, double value) { values_[at(column)] = value; }
double MetricRow::get(const std::string& column) const { return values_[at(column)]; }

}  // namespace compeer::train
