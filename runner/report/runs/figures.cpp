#include "report/runs/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace compeer::report {

namespace {

using nlohmann::json;

bool is_figure(const json& value) { return value.is_object() && value.contains("value") && value.contains("low"); }

double number_in(const json& table, const char* key) {
  return table.contains(key) && table[key].is_number() ? table[key].get<double>() : missing;
}

Interval estimate_of(const json& figure) {
  const double n = number_in(figure, "n");
  return {number_in(figure, "value"), number_in(figure, "low"), number_in(figure, "high"),
          n >= 0 && n < 1e15 ? static_cast<int64_t>(n) : 0};
}

void gather(const json& findings, const std::string& path, int depth, std::map<std::string, Interval>& all) {
  for (const auto& [name, value] : findings.items()) {
    if (path.empty() && (name == "columns" || name == "curves" || name == "better")) continue;
    if (is_figure(value)) {
      all[path + name] = estimate_of(value);
    } else if (value.is_object() && depth < 8) {
      gather(value, path + name + "/", depth + 1, all);
    } else if (value.is_number()) {
      all[path + name] = {value.get<double>(), missing, missing, 0};
    }
  }
}

constexpr std::string_view reason_is = "reasons/";

bool is_reason(const std::string& path) { return path.starts_with(reason_is); }

bool has_figure(const json& findings, int depth = 0) {
  return std::any_of(findings.begin(), findings.end(), [&](const json& value) {
    return is_figure(value) || (value.is_object() && depth < 8 && has_figure(value, depth + 1));
  });
}

}  // namespace

bool measures(const StageData& stage) { return stage.findings.contains("columns") || has_figure(stage.findings); }

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::map<std::string, Interval> figures_of(const json& findings) {
  std::map<std::string, Interval> all;
  if (findings.is_object()) gather(findings, "", 0, all);
  return all;
}

std::map<std::string, double> invalid_scores(const StageData& stage) {
  std::map<std::string, double> all;
  const auto found = figures_of(stage.findings);
  const bool reasons = std::any_of(found.begin(), found.end(), [](const auto& one) { return is_reason(one.first); });
  for (const auto& [path, figure] : found) {
    // A sum tells nothing beside its reasons; without any, what was dropped may be the reason.
    const bool told = path == "invalid" && (reasons || stage.left_out > 0);
    if (("/" + path + "/").find("/invalid/") != path.npos && !told) all[spaced(path)] = figure.mean;
    if (!is_reason(path) || stage.dropped.contains(path.substr(reason_is.size()))) continue;
    all["invalid: " + path.substr(reason_is.size())] = figure.mean;
  }
  std::erase_if(all, [](const auto& one) { return !(one.second > 0); });
  return all;
}

std::map<std::string, Better> ways_of(const json& findings) {
  std::map<std::string, Better> ways;
  const json told = findings.is_object() ? findings.value("better", json::object()) : json::object();
  if (!told.is_object()) return ways;
  for (const auto& [key, way] : {std::pair("higher", Better::higher), std::pair("lower", Better::lower)}) {
    if (!told.contains(key) || !told[key].is_array()) continue;
    for (const json& name : told[key]) {
      if (name.is_string()) ways.emplace(name, way);
    }
  }
  return ways;
}

Better better_of(const std::map<std::string, Better>& ways, const std::string& path) {
  const auto found = ways.find(path.substr(path.rfind('/') + 1));
  return found == ways.end() ? Better::unknown : found->second;
}

}  // namespace compeer::report
