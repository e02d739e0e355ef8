// Compares figures: differences with intervals, marks of table cells, differing settings.
#include "report/comparing/compare.h"

#include <algorithm>
#include <cmath>

#include "spec/dotted.h"

namespace compeer::report {

namespace {

constexpr size_t fewest_pairs = 8;

/// Returns b - a for every prompt, or nothing if the two runs did not measure the same prompts.
std::vector<double> pairs(const RunData& a, const RunData& b, const std::string& metric) {
  const auto of_a = a.per_prompt.find(metric), of_b = b.per_prompt.find(metric);
  if (of_a == a.per_prompt.end() || of_b == b.per_prompt.end()) return {};
  if (of_a->second.size() != of_b->second.size() || of_a->second.size() < fewest_pairs) return {};
  std::vector<double> differences;
  for (const auto& [example, value] : of_a->second) {
    const auto other = of_b->second.find(example);
    if (other == of_b->second.end() || !std::isfinite(value) || !std::isfinite(other->second)) return {};
    differences.push_back(other->second - value);
  }
  return differences;
}

void flatten(const nlohmann::json& value, const std::string& path, std::map<std::string, std::string>& flat) {
  const bool of_tables = value.is_array() &&
                         std::any_of(value.begin(), value.end(), [](const auto& item) { return item.is_structured(); });
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, inner] : value.items()) flatten(inner, spec::join(path, key), flat);
  } else if (of_tables) {
    for (size_t i = 0; i < value.size(); ++i) flatten(value[i], spec::join(path, i), flat);
  } else if (!path.empty()) {
    flat[path] = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

}  // namespace

MeanDifference difference(const Interval& a, const Interval& b) {
  const auto d = statistics::independent_difference(b, a);
  return {d.mean, d.low, d.high};
}

MeanDifference difference(const RunData& a, const RunData& b, const std::string& metric) {
  const MeanDifference independent = difference(a.estimate(metric), b.estimate(metric));
  const auto differences = pairs(a, b, metric);
  if (differences.empty() || !independent.known()) return independent;
  const Interval paired = statistics::mean_interval(differences);
  // If the paired mean disagrees with the summaries, the two are not the same measurement.
  if (std::abs(paired.mean - independent.value) > 0.25 * (independent.high - independent.low)) return independent;
  return {paired.mean, paired.low, paired.high, true};
}

std::vector<CellMarks> cell_marks(const std::vector<Interval>& figures, Better better,
                                  const std::function<MeanDifference(size_t, size_t)>& differ) {
  std::vector<CellMarks> all(figures.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].known()) order.push_back(i);
  }
  if (better == Better::unknown || order.size() < 2) return all;
  const double sign = better == Better::higher ? 1 : -1;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sign * figures[a].mean > sign * figures[b].mean; });
  const double best = figures[order[0]].mean;
  double second = missing;
  for (const size_t i : order) {
    if (figures[i].mean != best && !std::isfinite(second)) second = figures[i].mean;
    all[i].best = figures[i].mean == best;
    all[i].second = figures[i].mean == second;
    const auto d = differ(i, order[0]);
    all[i].tied = !all[i].best && d.known() && !d.is_significant();
  }
  if (!std::isfinite(second)) return std::vector<CellMarks>(figures.size());  // all values are equal
  return all;
}

std::map<std::string, std::string> flattened(const nlohmann::json& spec) {
  std::map<std::string, std::string> flat;
  flatten(spec, "", flat);
  return flat;
}

std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& flat) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, size_t> times;
  for (const auto& one : flat) {
    for (const auto& [path, value] : one) values[path].insert(value), ++times[path];
  }
  std::set<std::string> paths;
  for (const auto& [path, different] : values) {
    if (different.size() > 1 || times[path] < flat.size()) paths.insert(path);
  }
  return paths;
}

std::vector<std::string> changed(const std::vector<const RunData*>& runs) {
  std::vector<std::map<std::string, std::string>> specs;
  for (const auto* run : runs) specs.push_back(flattened(run->spec));
  const auto paths = differing(specs);
  std::vector<std::string> list;
  for (const auto& path : paths) {
    const bool fingerprint = path.starts_with("inputs.");
    if (path != "name" && !(fingerprint && paths.contains(unquoted(path.substr(7))))) list.push_back(path);
  }
  return list;
}

std::string unquoted(const std::string& value) {
  const bool quoted =
      value.size() > 2 && value.front() == '"' && value.back() == '"' && value.find('\\') == std::string::npos;
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace compeer::report
