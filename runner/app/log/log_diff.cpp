// compeer log diff: differences between two runs in settings and metrics.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "app/log/log.h"
#include "base/error.h"
#include "record/in_child.h"
#include "report/comparing/compare.h"
#include "report/runs/load.h"
#include "report/runs/metrics.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using nlohmann::ordered_json;

constexpr size_t longest_value = 200;

ordered_json settings_of(const report::RunData& before, const report::RunData& after) {
  auto list = ordered_json::object();
  const auto a = report::flattened(before.spec), b = report::flattened(after.spec);
  const auto value = [](const auto& spec, const std::string& path) {
    return spec.count(path) ? ordered_json::parse(spec.at(path)) : ordered_json("(not there)");
  };
  for (const auto& path : report::changed({&before, &after})) list[path] = {value(a, path), value(b, path)};
  return list;
}

ordered_json interval_json(const statistics::Interval& e) {
  const bool interval = e.has_interval();
  ordered_json json{{"mean", e.mean}, {"low", nullptr}, {"high", nullptr}, {"n", e.n}};
  if (interval) json["low"] = e.low, json["high"] = e.high;
  return json;
}

// True for costs, which differ between any two runs.
bool costs(const std::string& metric) {
  return metric.starts_with("seconds/") || metric == "tokens_per_second" || metric == "peak_memory";
}

// Returns the metrics of a run, without costs. Means of training rows, which are not independent, have no interval.
std::vector<std::pair<std::string, statistics::Interval>> evaluated_metrics(const report::RunData& run) {
  std::vector<std::pair<std::string, statistics::Interval>> all;
  for (const auto& stage : run.stages) {
    for (const auto& [path, figure] : report::figures_of(stage.findings))
      all.emplace_back(stage.name + "/" + path, figure);
  }
  if (run.task == "data") return all;
  for (const auto& metric : report::metrics_of({&run})) {
    const auto e = run.estimate(metric.name);
    if (e.known() && !costs(metric.name))
      all.emplace_back(metric.name,
                       run.task == "evaluate" ? e : statistics::Interval{e.mean, report::missing, report::missing, 0});
  }
  return all;
}

// Compares the metrics that both runs have and whose means differ; those of two evaluations are paired by prompt if
// both measured the same prompts.
ordered_json metrics_of(const report::RunData& before, const report::RunData& after) {
  auto list = ordered_json::object();
  const auto of_after = evaluated_metrics(after);
  const bool paired = before.task == "evaluate" && after.task == "evaluate";
  for (const auto& [name, a] : evaluated_metrics(before)) {
    const auto same = [&, wanted = &name](const auto& one) { return one.first == *wanted; };
    const auto found = std::find_if(of_after.begin(), of_after.end(), same);
    if (found == of_after.end() || !a.known() || !found->second.known() || a.mean == found->second.mean) continue;
    const auto d = paired ? report::difference(before, after, name) : report::difference(a, found->second);
    list[name] = {{"before", interval_json(a)},
                  {"after", interval_json(found->second)},
                  {"difference", {{"value", d.value}, {"low", d.low}, {"high", d.high}}},
                  {"clear", d.is_significant()}};
  }
  return list;
}

ordered_json differences(const std::filesystem::path& before, const std::filesystem::path& after) {
  const auto a = report::load_run(before), b = report::load_run(after);
  return {{"before", before.string()},           {"after", after.string()},
          {"states", {a.state, b.state}},        {"steps", {a.steps_done, b.steps_done}},
          {"settings", settings_of(a, b)},       {"metrics", metrics_of(a, b)},
          {"problems", {a.problems, b.problems}}};
}

std::string text_of(const ordered_json& value) {
  return spec::printable(
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, ordered_json::error_handler_t::replace),
      longest_value);
}

std::string number_text(const ordered_json& value, const char* format) {
  return value.is_null() ? "-" : fmt::format(fmt::runtime(format), value.get<double>());
}

// "1.5 [1.25, 1.75]"
std::string interval_text(const ordered_json& figure, const char* key, const char* format) {
  const auto mean = number_text(figure[key], format);
  if (figure["low"].is_null() || figure["high"].is_null()) return mean;
  return fmt::format("{} [{}, {}]", mean, number_text(figure["low"], format), number_text(figure["high"], format));
}

void print_aligned(const std::vector<std::vector<std::string>>& rows, std::ostream& out) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{}{:<{}}", i == 0 ? "" : "  ", row[i], widths[i]);
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

void print_comparison(const ordered_json& all, std::ostream& out) {
  const auto before = text_of(all["before"]), after = text_of(all["after"]);
  std::vector<std::vector<std::string>> settings = {{"setting", before, after}},
                                        metrics = {{"metric", before, after, "difference"}};
  bool any_clear = false;
  for (const auto& [path, values] : all["settings"].items())
    settings.push_back({spec::printable(path, longest_value), text_of(values[0]), text_of(values[1])});
  for (const auto& [name, one] : all["metrics"].items()) {
    const auto clear = one["clear"].get<bool>() ? " *" : "";
    any_clear = any_clear || one["clear"].get<bool>();
    metrics.push_back({spec::printable(name, longest_value), interval_text(one["before"], "mean", "{:.4g}"),
                       interval_text(one["after"], "mean", "{:.4g}"),
                       interval_text(one["difference"], "value", "{:+.4g}") + clear});
  }
  if (settings.size() > 1) print_aligned(settings, out);
  if (settings.size() == 1) out << "no setting differs\n";
  out << '\n';
  if (metrics.size() > 1) print_aligned(metrics, out);
  if (metrics.size() == 1) out << "no metric differs\n";
  if (any_clear) out << "* the 95 % interval of the difference excludes zero\n";
  const auto &steps = all["steps"], &states = all["states"];
  if (steps[0] != steps[1]) {
    out << fmt::format("note: the runs differ in length: {} ends at step {} ({}), {} at step {} ({})\n", before,
                       steps[0].get<int64_t>(), text_of(states[0]), after, steps[1].get<int64_t>(), text_of(states[1]));
  }
  for (size_t i = 0; i < 2; ++i) {
    for (const auto& problem : all["problems"][i])
      out << fmt::format("note: {}: {}\n", i == 0 ? before : after, text_of(problem));
  }
}

}  // namespace

int log_diff(const LogDiff& options, std::ostream& out) {
  const auto before = find_run(options.before), after = find_run(options.after);
  const auto result = record::in_child(
      [&] { return differences(before, after).dump(-1, ' ', false, ordered_json::error_handler_t::replace); },
      options.timeout_seconds);
  if (!result.problem.empty())
    throw Error(before.string() + " and " + after.string(), "can't be read: " + result.problem,
                "run compeer log verify to find the damage", result.exit);
  if (options.json) return out << result.output << '\n', 0;
  print_comparison(ordered_json::parse(result.output), out);
  return 0;
}

}  // namespace compeer::app
