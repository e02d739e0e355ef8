#include "report/runs/run_data.h"

#include <algorithm>

namespace compeer::report {

nlohmann::json RunData::setting(const char* section, const char* key) const {
  if (!spec.is_object() || !spec.contains(section)) return nullptr;
  const auto& table = spec[section];
  return table.is_object() && table.contains(key) ? table[key] : nlohmann::json();
}

bool RunData::greedy() const { return setting("sampling", "greedy") == true; }

std::string RunData::start_model() const {
  const auto path = setting("model", "path");
  return path.is_string() ? path.get<std::string>() : "";
}

size_t RunData::rows() const {
  size_t most = 0;
  for (const auto& [name_of_column, values] : columns) most = std::max(most, values.size());
  return most;
}

const std::vector<double>* RunData::column(const std::string& metric) const {
  const auto found = columns.find(metric);
  return found == columns.end() ? nullptr : &found->second;
}

Interval RunData::estimate(const std::string& metric) const {
  const auto found = summary.find(metric);
  return found == summary.end() ? Interval{} : found->second;
}

}  // namespace compeer::report
