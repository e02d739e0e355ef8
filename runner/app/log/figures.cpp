// Figures of a run's summary, and the choice and formatting of the most informative ones.
#include "app/log/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "record/status.h"
#include "spec/text.h"

namespace compeer::app {

std::string figure_text(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4g}", value); }

namespace {

using nlohmann::json;
using Metrics = std::map<std::string, statistics::Interval>;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double mean_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? unknown : found->second.mean;
}

// Returns PATH if `name` is "PATH/value", "PATH/low", "PATH/high" or "PATH/n" and the summary contains PATH's value and
// low; otherwise "".
std::string figure_path(const Metrics& metrics, const std::string& name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string::npos) return "";
  const auto path = name.substr(0, slash), part = name.substr(slash + 1);
  const bool fits = part == "value" || part == "low" || part == "high" || part == "n";
  return fits && metrics.count(path + "/value") && metrics.count(path + "/low") ? path : "";
}

RunFigure figure_at(const Metrics& metrics, const std::string& path) {
  const double n = mean_of(metrics, path + "/n");
  return {path, mean_of(metrics, path + "/value"), mean_of(metrics, path + "/low"), mean_of(metrics, path + "/high"),
          n > 0 ? static_cast<uint64_t>(n) : 0};
}

void add_curves(const json& stage, std::vector<record::Scalar>& all) {
  if (!stage.is_object() || !stage.value("stage", json()).is_string()) return;
  const json findings = stage.value("findings", json::object());
  if (!findings.is_object() || !findings.value("curves", json()).is_object()) return;
  for (const auto& [name, rounds] : findings.at("curves").items()) {
    for (size_t i = 0; rounds.is_array() && i < rounds.size(); ++i) {
      const json value = rounds[i].is_object() ? rounds[i].value("value", json()) : rounds[i];
      if (value.is_number())
        all.push_back({stage["stage"].get<std::string>() + "/curves/" + name, i, value.get<double>()});
    }
  }
}

constexpr size_t most = 10;
constexpr const char* groups[] = {"result", "policy", "completions", "cost", "other"};

struct Wanted {
  const char *group, *pattern;  // pattern: '*' matches anything (see `fits`)
};
// In descending order of importance, which decides what is shown if there are more than `most`.
constexpr Wanted wanted_figures[] = {{"result", "reward"},
                                     {"result", "validation/*"},
                                     {"policy", "kl"},
                                     {"policy", "entropy"},
                                     {"policy", "zero_variance"},
                                     {"completions", "length"},
                                     {"completions", "truncated"},
                                     {"completions", "distinct_2"},
                                     {"cost", "seconds/step"},
                                     {"result", "rewards/*/reward"},
                                     {"result", "rewards/*"},
                                     {"result", "loss"},
                                     {"policy", "grad_norm"},
                                     {"cost", "tokens_per_second"},
                                     {"cost", "peak_memory"},
                                     {"policy", "lr"}};

struct Measured {
  const char *pattern, *unit;
  double factor = 1;
};
constexpr Measured measured_figures[] = {{"seconds", "s"},
                                         {"seconds/*", "s"},
                                         {"tokens_per_second", "tokens/s"},
                                         {"peak_memory", "MiB"},
                                         {"tokens", "tokens"},
                                         {"length", "tokens"},
                                         {"entropy", "nats"},
                                         {"kl", "nats"},
                                         {"reference_kl", "nats"},
                                         {"truncated", "%", 100},
                                         {"zero_variance", "%", 100},
                                         {"clip_share", "%", 100},
                                         {"clip_share_low", "%", 100},
                                         {"clip_share_high", "%", 100}};

// True if `name` matches a pattern with at most one '*', which does not match names ending in _std or _share.
bool fits(std::string_view name, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const auto begin = pattern.substr(0, star), end = pattern.substr(star + 1);
  return name.size() >= begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end) &&
         !name.ends_with("_std") && !name.ends_with("_share");
}

struct Line {
  std::string name, mean, unit, interval;
};

Line line_of(const RunFigure& figure, const std::string& indent) {
  const Unit unit = unit_of(figure.name);
  Line line{indent + spec::printable(figure.name, 200), figure_text(figure.mean * unit.factor), unit.name, ""};
  if (figure.low < figure.high)
    line.interval =
        fmt::format("{} .. {}", figure_text(figure.low * unit.factor), figure_text(figure.high * unit.factor));
  return line;
}

// Formats lines with aligned columns; the first one is the heading.
std::string aligned(const std::vector<Line>& lines) {
  size_t names = 0, means = 0, units = 0;
  for (const auto& line : lines) {
    names = std::max(names, line.name.size());
    means = std::max(means, line.mean.size());
    units = std::max(units, line.unit.size());
  }
  std::string text;
  for (const auto& line : lines) {
    auto whole =
        fmt::format("{:<{}}  {:>{}} {:<{}}  {}", line.name, names, line.mean, means, line.unit, units, line.interval);
    text += whole.erase(whole.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

const RunFigure& figure_named(const std::vector<RunFigure>& figures, const std::string& name) {
  return *std::find_if(figures.begin(), figures.end(), [&](const RunFigure& figure) { return figure.name == name; });
}

std::vector<Line> under_headings(const std::vector<RunFigure>& figures) {
  std::vector<std::string> names;
  for (const auto& figure : figures) names.push_back(figure.name);
  const auto chosen = key_figures(names);
  std::vector<Line> lines;
  for (const char* group : groups) {
    bool headed = false;
    for (const auto& one : chosen) {
      if (one.group != group) continue;
      if (!headed) lines.push_back(Line{group, "", "", ""});
      headed = true;
      lines.push_back(line_of(figure_named(figures, one.name), "  "));
    }
  }
  return lines;
}

}  // namespace

std::vector<RunFigure> figures_of(const Metrics& metrics) {
  std::vector<RunFigure> all;
  for (const auto& [name, e] : metrics) {
    const auto whole = figure_path(metrics, name);
    const bool interval = e.low < e.high;
    if (whole.empty()) {
      all.push_back(
          {name, e.mean, interval ? e.low : unknown, interval ? e.high : unknown, static_cast<uint64_t>(e.n)});
    } else if (name == whole + "/value") {
      all.push_back(figure_at(metrics, whole));
    }
  }
  return all;
}

std::optional<std::vector<RunFigure>> figures_in(const std::filesystem::path& folder) {
  const auto summary = record::read_summary(folder);
  return summary ? std::optional(figures_of(summary->metrics)) : std::nullopt;
}

std::vector<record::Scalar> scalars_in(const std::filesystem::path& folder, uint64_t rows) {
  const auto summary = record::read_summary(folder);
  if (!summary || (summary->task != "evaluate" && summary->task != "data")) return {};
  std::vector<record::Scalar> all;
  for (const auto& one : figures_of(summary->metrics)) all.push_back({"summary/" + one.name, rows, one.mean});
  if (!summary->details.is_object() || !summary->details.contains("stages")) return all;
  for (const json& stage : summary->details["stages"]) add_curves(stage, all);
  return all;
}

Unit unit_of(const std::string& metric) {
  for (const auto& known : measured_figures)
    if (fits(metric, known.pattern)) return {known.unit, known.factor};
  return {};
}

std::vector<KeyFigure> key_figures(const std::vector<std::string>& names) {
  std::vector<KeyFigure> chosen;
  const auto choose = [&](const char* group, const std::string& name) {
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const auto& one) { return one.name == name; });
    if (!known && name != "step" && chosen.size() < most) chosen.push_back({group, name});
  };
  for (const auto& [group, pattern] : wanted_figures) {
    for (const auto& name : names) {
      if (fits(name, pattern)) choose(group, name);
    }
  }
  for (const auto& name : names) choose("other", name);
  return chosen;
}

std::string figures_text(const std::vector<RunFigure>& figures, bool all) {
  std::vector<Line> lines;
  if (!all) lines = under_headings(figures);
  for (const auto& figure : figures)
    if (all) lines.push_back(line_of(figure, ""));
  const bool intervals =
      std::any_of(lines.begin(), lines.end(), [](const Line& line) { return !line.interval.empty(); });
  lines.insert(lines.begin(), Line{"", "mean", "", intervals ? "95% interval" : ""});
  return aligned(lines);
}

}  // namespace compeer::app
