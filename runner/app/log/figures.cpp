#include "app/log/figures.h"

#include <limits>
#include <map>

#include "record/status.h"

namespace compeer::app {

namespace {

using nlohmann::json;
using Metrics = std::map<std::string, statistics::Interval>;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double mean_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? unknown : found->second.mean;
}

/// The figure that "PATH/value", "PATH/low", "PATH/high" or "PATH/n" belongs to: PATH, if it is there with its value
/// and an end of its interval; else "".
std::string whole_of(const Metrics& metrics, const std::string& name) {
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

}  // namespace

std::vector<RunFigure> figures_of(const Metrics& metrics) {
  std::vector<RunFigure> all;
  for (const auto& [name, e] : metrics) {
    const auto whole = whole_of(metrics, name);
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

}  // namespace compeer::app
