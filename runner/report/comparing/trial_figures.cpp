#include "report/comparing/trial_figures.h"

#include <cmath>
#include <map>

#include "report/runs/figures.h"

namespace compeer::report {

namespace {

Estimate figure_at(const std::vector<RunData>& runs, const TrialKind::Place& place, const std::string& path) {
  const auto figures = figures_of(runs[place.run].stages[place.stage].findings);
  const auto found = figures.find(path);
  return found == figures.end() ? Estimate{} : found->second;
}

/// Nothing if two trials were the same test or one has no mean.
std::map<nlohmann::json, double> by_test(const std::vector<RunData>& runs, const TrialKind& kind,
                                         const std::string& path) {
  std::map<nlohmann::json, double> means;
  for (const auto& place : kind.trials) {
    const auto figure = figure_at(runs, place, path);
    if (figure.known()) means[place.test] = figure.mean;
  }
  return means.size() == kind.trials.size() ? means : std::map<nlohmann::json, double>();
}

std::vector<double> differences(const std::map<nlohmann::json, double>& a, const std::map<nlohmann::json, double>& b) {
  std::vector<double> all;
  if (a.size() != b.size()) return {};
  for (const auto& [test, mean] : a) {
    const auto other = b.find(test);
    if (other == b.end()) return {};
    all.push_back(other->second - mean);
  }
  return all;
}

}  // namespace

Estimate figure_of(const std::vector<RunData>& runs, const TrialKind& kind, const std::string& path) {
  if (kind.trials.size() == 1) return figure_at(runs, kind.trials[0], path);
  std::vector<double> means;
  for (const auto& place : kind.trials) means.push_back(figure_at(runs, place, path).mean);
  return statistics::mean_interval(means);
}

std::vector<Estimate> figures(const std::vector<RunData>& runs, const TrialGroup& group, const std::string& path) {
  std::vector<Estimate> all;
  for (const auto& kind : group.kinds) all.push_back(figure_of(runs, kind, path));
  return all;
}

std::vector<Standing> standings(const std::vector<RunData>& runs, const TrialGroup& group, const std::string& path) {
  return standings(figures(runs, group, path), group.better(path),
                   [&](size_t i, size_t best) { return difference(runs, group.kinds[i], group.kinds[best], path); });
}

Difference difference(const std::vector<RunData>& runs, const TrialKind& a, const TrialKind& b,
                      const std::string& path) {
  const auto paired = differences(by_test(runs, a, path), by_test(runs, b, path));
  if (paired.size() < 2) return difference(figure_of(runs, a, path), figure_of(runs, b, path));
  const auto mean = statistics::mean_interval(paired);
  return {mean.mean, mean.low, mean.high, true};
}

}  // namespace compeer::report
