#include "report/sections/trial_shares.h"

#include <fmt/format.h>

#include <set>

#include "report/comparing/trial_figures.h"
#include "report/drawing/bar_plot.h"
#include "report/runs/figures.h"

namespace compeer::report {

namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::vector<std::string> shares_of(const nlohmann::json& findings) {
  std::vector<std::string> names;
  for (const auto& name : findings.value("shares", nlohmann::json::array())) {
    if (name.is_string()) names.push_back(name);
  }
  return names;
}

/// What has these shares: "a vs b" of "a vs b/win".
std::set<std::string> topics_of(const nlohmann::json& findings, const std::string& share) {
  std::set<std::string> topics;
  for (const auto& [path, figure] : figures_of(findings)) {
    if (path.ends_with("/" + share)) topics.insert(path.substr(0, path.size() - share.size() - 1));
  }
  return topics;
}

}  // namespace

void write_trial_shares(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group, const std::string& id) {
  BarPlot plot{id, group.heading + ", in shares", "", "share of what was compared", {}, {}, percent, false};
  for (const auto& kind : group.kinds) {
    const auto& place = kind.trials.at(0);
    const auto& findings = runs[place.run].stages[place.stage].findings;
    plot.part_names = shares_of(findings);
    if (plot.part_names.empty()) return;
    for (const auto& topic : topics_of(findings, plot.part_names[0])) {
      const auto pair = topic.substr(topic.find('/') + 1);
      BarRow row{group.kinds.size() == 1 ? pair : pair + ", " + kind.label, pair + ", " + kind.name, {}};
      for (const auto& share : plot.part_names) row.parts.push_back(figure_of(runs, kind, topic + "/" + share).mean);
      plot.description += row.name + ":";
      for (size_t i = 0; i < row.parts.size(); ++i)
        plot.description +=
            fmt::format(" {} {}{}", plot.part_names[i], percent(row.parts[i]), i + 1 < row.parts.size() ? "," : ". ");
      plot.rows.push_back(std::move(row));
    }
  }
  draw(out, plot);
}

}  // namespace compeer::report
