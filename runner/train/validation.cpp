// Validation on held-out records during training, and early stopping.
#include "train/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace compeer::train {

namespace {

constexpr const char* prefix = "validation/";
constexpr const char* seconds = "seconds/validation";
constexpr const char* best_step = "validation/best_step";

uint64_t whole(const Settings& table, const char* key) {
  return table.has(key) ? static_cast<uint64_t>(table.integer(key)) : 0;
}

}  // namespace

std::optional<Records> held_out_records(RunContext& run, Records::RecordFilter usable) {
  const auto table = run.spec.table("validation");
  if (whole(table, "every") == 0) return std::nullopt;
  usable.split = table.text("split");
  return Records::select(run.world, *run.plugins, run.spec.table("dataset"), usable, table.integer("prompts"));
}

bool lower_is_better(const Settings& validation, const std::string& metric) {
  if (validation.has("better")) return validation.text("better") == "lower";
  if (metric == "loss") return true;
  const bool reward = metric.starts_with("rewards/") && metric.ends_with("/reward");
  if (metric == "reward" || metric == "reweighted" || reward) return false;
  throw Error("validation.better", "must be set: whether a higher '" + metric + "' is better is not known",
              "set it to \"higher\" or \"lower\"", Exit::spec);
}

Validation::Validation(RunContext& run, Training& training, uint64_t steps, const std::vector<std::string>& known,
                       const std::string& usual, Measure measure)
    : run_(run),
      training_(training),
      steps_(steps),
      every_(whole(run.spec.table("validation"), "every")),
      patience_(whole(run.spec.table("validation"), "patience")),
      measure_(std::move(measure)) {
  if (every_ == 0) return;
  const auto table = run.spec.table("validation");
  metrics_ = table.texts("metrics");
  if (metrics_.empty()) metrics_ = {usual};
  for (const auto& name : metrics_) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error("validation.metrics", "no metric '" + name + "'", suggest(name, known), Exit::spec);
  }
  lower_ = lower_is_better(table, metrics_.front());
  keeps_best_ = table.text("keep") == "best";
}

std::vector<std::string> Validation::columns() const {
  std::vector<std::string> names;
  for (const auto& name : metrics_) names.push_back(prefix + name);
  if (!names.empty()) names.emplace_back(seconds);
  return names;
}

std::string Validation::plan() const {
  if (metrics_.empty()) return "";
  const auto table = run_.spec.table("validation");
  return fmt::format("validation: at most {} records of split '{}' every {} steps; {} {} is better",
                     table.integer("prompts"), table.text("split"), every_, lower_ ? "lower" : "higher",
                     metrics_.front());
}

double& Validation::number(const std::string& name) const {
  return training_.numbers.emplace(name, std::nan("")).first->second;
}

uint64_t Validation::best() const {
  const auto found = training_.numbers.find(best_step);
  return found == training_.numbers.end() ? 0 : static_cast<uint64_t>(found->second);
}

bool Validation::better(double value) const {
  if (std::isnan(value)) return false;
  if (best() == 0) return true;
  const double before = number(prefix + metrics_.front());
  return lower_ ? value < before : value > before;
}

bool Validation::run_if_due(uint64_t step, MetricRow& row) {
  if (every_ == 0 || (step % every_ != 0 && step != steps_)) return false;
  PhaseClock clock;
  const auto metrics = measure_(step);
  std::vector<double> values;
  for (const auto& name : metrics_) {
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const auto& one) { return one.first == name; });
    values.push_back(found == metrics.end() ? std::nan("") : found->second);
  }
  run_.world.broadcast(std::as_writable_bytes(std::span(values)));
  row.set(seconds, clock.elapsed());
  for (size_t i = 0; i < metrics_.size(); ++i) row.set(prefix + metrics_[i], values[i]);
  if (!better(values.front())) return false;
  for (size_t i = 0; i < metrics_.size(); ++i) number(prefix + metrics_[i]) = values[i];
  number(best_step) = static_cast<double>(step);
  return true;
}

bool Validation::is_over(uint64_t step) const {
  return patience_ > 0 && step % every_ == 0 && step - best() >= patience_ * every_;
}

std::string Validation::why_over() const {
  return best() > 0 ? fmt::format("no better {}{} since step {}", prefix, metrics_.front(), best())
                    : fmt::format("{}{} was NaN in every validation", prefix, metrics_.front());
}

std::map<std::string, statistics::Interval> Validation::estimates() const {
  std::map<std::string, statistics::Interval> all;
  if (best() == 0) return all;
  for (const auto& name : metrics_) all[prefix + name] = {.mean = number(prefix + name), .n = 1};
  all[best_step] = {.mean = number(best_step), .n = 1};
  return all;
}

}  // namespace compeer::train
