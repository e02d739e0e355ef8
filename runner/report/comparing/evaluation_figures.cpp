#include <map>

#include "report/comparing/evaluations.h"

namespace compeer::report {

namespace {

Interval figure_at(const std::vector<RunData>& runs, const Evaluation& one, const std::string& path) {
  if (one.stage == 0) return runs[one.run].estimate(path);
  const auto figures = figures_of(runs[one.run].stages[one.stage].findings);
  const auto found = figures.find(path);
  return found == figures.end() ? Interval{} : found->second;
}

/// Nothing if two evaluations were the same test or one has no mean.
std::map<nlohmann::json, double> by_test(const std::vector<RunData>& runs, const Candidate& candidate,
                                         const std::string& path) {
  std::map<nlohmann::json, double> means;
  for (const auto& one : candidate.evaluations) {
    const auto figure = figure_at(runs, one, path);
    if (figure.known()) means[one.test] = figure.mean;
  }
  return means.size() == candidate.evaluations.size() ? means : std::map<nlohmann::json, double>();
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

Interval figure_of(const std::vector<RunData>& runs, const Candidate& candidate, const std::string& path) {
  if (candidate.evaluations.size() == 1) return figure_at(runs, candidate.evaluations[0], path);
  std::vector<double> means;
  for (const auto& one : candidate.evaluations) means.push_back(figure_at(runs, one, path).mean);
  return statistics::mean_interval(means);
}

std::vector<Interval> figures(const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& path) {
  std::vector<Interval> all;
  for (const auto& candidate : group.candidates) all.push_back(figure_of(runs, candidate, path));
  return all;
}

std::vector<Standing> standings(const std::vector<RunData>& runs, const EvaluationGroup& group,
                                const std::string& path) {
  return standings(figures(runs, group, path), group.metric(path).better, [&](size_t i, size_t best) {
    return difference(runs, group.candidates[i], group.candidates[best], path);
  });
}

MeanDifference difference(const std::vector<RunData>& runs, const Candidate& a, const Candidate& b,
                          const std::string& path) {
  const auto &first = a.evaluations.front(), &second = b.evaluations.front();
  if (a.evaluations.size() == 1 && b.evaluations.size() == 1 && first.stage == 0 && second.stage == 0)
    return difference(runs[first.run], runs[second.run], path);
  const auto paired = differences(by_test(runs, a, path), by_test(runs, b, path));
  if (paired.size() < 2) return difference(figure_of(runs, a, path), figure_of(runs, b, path));
  const auto mean = statistics::mean_interval(paired);
  return {mean.mean, mean.low, mean.high, true};
}

}  // namespace compeer::report
