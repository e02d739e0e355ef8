#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/drawing/numbers.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t open_runs = 4;     ///< more of them than this are folded
constexpr size_t most_reasons = 8;  ///< of a cell; the most frequent
constexpr size_t most_stages = 400;

/// "no answer 12, too short 3; 4 more": the largest first.
template <class Number>
std::string listed(const std::map<std::string, Number>& counts) {
  std::vector<std::pair<std::string, double>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), most_reasons); ++i)
    text += fmt::format(
        "{}{} {}", i == 0 ? "" : ", ", order[i].first,
        order[i].second == std::floor(order[i].second) ? fixed(order[i].second, 0) : compact(order[i].second));
  return order.size() > most_reasons ? text + fmt::format("; {} more", order.size() - most_reasons) : text;
}

TableGroup rows_of(const RunData& run) {
  TableGroup rows{run.name + (run.finished() ? "" : " (" + (run.state.empty() ? "state unknown" : run.state) + ")"),
                  {}};
  for (const auto& stage : run.stages)
    rows.rows.push_back({stage.name,
                         "",
                         {},
                         {{fixed(double(stage.in), 0), ""},
                          {fixed(double(stage.out), 0), ""},
                          {fixed(double(stage.left_out), 0), ""},
                          {listed(stage.dropped), ""},
                          {listed(stage.counts), ""}}});
  return rows;
}

}  // namespace

void write_funnel(Markup& out, const std::vector<RunData>& runs) {
  PageTable table{"Records in each stage",
                  "stage",
                  {{"in", "", ""},
                   {"out", "", ""},
                   {"dropped", "", ""},
                   {"why", "reason and number", "", false},
                   {"counted", "", "", false}},
                  {}};
  size_t stages = 0, left_out = 0;
  for (const auto& run : runs) {
    if (run.stages.empty()) continue;
    stages += run.stages.size();
    stages <= most_stages ? table.groups.push_back(rows_of(run)) : void(++left_out);
  }
  if (table.groups.empty()) return;
  std::optional<Markup::Scope> folded;
  if (table.groups.size() > open_runs) {
    folded.emplace(out.open("details", {{"class", "figures"}}));
    out.element("summary", {}, fmt::format("{} runs", table.groups.size()));
  }
  write(out, table);
  if (left_out > 0)
    out.element("p", {{"class", "how"}}, fmt::format("{} more runs; their summary.json tells of them.", left_out));
}

}  // namespace compeer::report
