#include "report/runs/run_data.h"

#include <algorithm>

namespace compeer::report {

namespace {

/// spec[section][key] if it's there.
const nlohmann::json* setting(const nlohmann::json& spec, const char* section, const char* key) {
  if (!spec.is_object() || !spec.contains(section)) return nullptr;
  const auto& table = spec[section];
  return table.is_object() && table.contains(key) ? &table[key] : nullptr;
}

}  // namespace

bool RunData::greedy() const {
  const auto* value = setting(spec, "sampling", "greedy");
  return value && value->is_boolean() && value->get<bool>();
}

std::string RunData::start_model() const {
  const auto* value = setting(spec, "model", "path");
  return value && value->is_string() ? value->get<std::string>() : "";
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

Estimate RunData::estimate(const std::string& metric) const {
  const auto found = summary.find(metric);
  return found == summary.end() ? Estimate{} : found->second;
}

}  // namespace compeer::report
