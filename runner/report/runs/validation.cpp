#include "report/runs/metrics.h"

#include <algorithm>
#include <optional>

namespace compeer::report {

namespace {

constexpr const char* best_step_name = "validation/best_step";

bool wants_lower(const RunData& run, const std::string& metric) {
  const nlohmann::json::json_pointer better("/validation/better");
  if (run.spec.contains(better) && run.spec[better].is_string()) return run.spec[better] == "lower";
  return describe(metric).better == Better::lower;
}

std::optional<size_t> best_row(const std::vector<double>& looks, bool lower) {
  std::optional<size_t> row;
  for (size_t i = 0; i < looks.size(); ++i) {
    if (!std::isfinite(looks[i])) continue;
    if (!row || (lower ? looks[i] < looks[*row] : looks[i] > looks[*row])) row = i;
  }
  return row;
}

double at(const std::vector<double>* column, size_t row, double otherwise) {
  return column && row < column->size() ? (*column)[row] : otherwise;
}

}  // namespace

std::vector<Metric> validation_metrics(const std::vector<const RunData*>& runs) {
  auto metrics = metrics_of(runs);
  std::erase_if(metrics, [](const Metric& m) { return m.topic != Topic::validation || m.name == best_step_name; });
  return metrics;
}

double best_step(const RunData& run) { return run.estimate(best_step_name).mean; }

void summarize_looks(RunData& run) {
  const auto metrics = validation_metrics({&run});
  for (const auto& metric : metrics) run.summary.erase(metric.name);
  const auto* deciding = metrics.empty() ? nullptr : run.column(metrics[0].name);
  const auto row = deciding ? best_row(*deciding, wants_lower(run, metrics[0].name)) : std::nullopt;
  if (!row) return;
  for (const auto& metric : metrics)
    run.summary[metric.name] = {at(run.column(metric.name), *row, missing), missing, missing, 1};
  run.summary[best_step_name] = {at(run.column("step"), *row, static_cast<double>(*row + 1)), missing, missing, 1};
}

}  // namespace compeer::report
