#include "report/sections/sample_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/drawing/numbers.h"
#include "report/drawing/passages.h"
#include "report/drawing/svg.h"
#include "report/drawing/table.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

constexpr size_t longest_completion = 1600, longest_turn = 3000, summary_characters = 110;

/// Two decimals; three digits where that would show nothing.
std::string value_text(double value) { return value != 0 && std::abs(value) < 0.05 ? compact(value) : fixed(value, 2); }

/// Worth standing over each completion: the reward, how much it says the same as others, and what became of it by that.
bool is_main(const std::string& name) {
  const Metric metric = describe(name);
  const bool likeness = name.ends_with("/s_in") || name.ends_with("/s_hi") || name.ends_with("/divisor");
  return name == "reward" || name == "advantage" || name == "reweighted" || likeness ||
         (metric.topic == Topic::reward && metric.title == "quality");
}

void write_numbers(Markup& out, const SampledCompletion& completion, size_t number) {
  const auto line = out.open("p", {{"class", "numbers"}});
  out.element("span", {{"class", "nth"}}, fmt::format("{}", number));
  double reward = missing;
  for (const auto& [name, value] : completion.values) {
    if (name == "reward") reward = value;
    if (!is_main(name) || !std::isfinite(value) || (name == "reweighted" && value == reward)) continue;
    const auto pair = out.open("span");
    out.text(describe(name).title + " ");
    out.element("b", {}, value_text(value));
  }
  const auto length = out.open("span");
  out.text(fmt::format("{} tokens{}", completion.tokens, completion.finished ? "" : ", cut off"));
}

void write_completion(Markup& out, const SampledCompletion& completion, size_t number) {
  const auto block = out.open("div", {{"class", "completion"}});
  write_numbers(out, completion, number);
  const auto passages = by_tags(cut(completion.text, longest_completion));
  if (passages.empty()) out.element("p", {{"class", "reply empty"}}, "(empty)");
  for (const auto& passage : passages) {
    if (passage.name.empty()) {
      out.element("p", {{"class", "reply"}, {"dir", "auto"}}, passage.text);
      continue;
    }
    const auto step = out.open("p", {{"class", "step"}, {"dir", "auto"}});
    out.element("span", {{"class", "tag"}}, passage.name);
    out.text(" " + passage.text);
  }
}

/// Every recorded number of a column: metrics down, completions across.
void write_values(Markup& out, const SampleColumn& column, size_t most) {
  const auto& completions = column.group->completions;
  const size_t shown = std::min(most, completions.size());
  if (shown == 0 || completions[0].values.empty()) return;
  const auto details = out.open("details", {{"class", "values"}});
  out.element("summary", {}, "all values");
  PageTable table{"Values of " + column.heading, "value", {}, {{"", {}}}};
  for (size_t i = 0; i < shown; ++i) table.columns.push_back({fmt::format("{}", i + 1), "", ""});
  for (size_t v = 0; v < completions[0].values.size(); ++v) {
    const Metric metric = describe(completions[0].values[v].first);
    TableRow row{metric.title, metric.from, {}, {}};
    for (size_t i = 0; i < shown; ++i)
      row.cells.push_back({v < completions[i].values.size() ? value_text(completions[i].values[v].second) : "", ""});
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

}  // namespace

void write_prompt(Markup& out, const std::string& prompt) {
  const auto list = out.open("dl", {{"class", "turns"}});
  for (const auto& turn : by_turns(prompt)) {
    const auto pair = out.open("div", {{"class", turn.name == "assistant" ? "turn own" : "turn"}});
    out.element("dt", {}, turn.name.empty() ? "prompt" : turn.name);
    out.element("dd", {{"dir", "auto"}}, cut(turn.text, longest_turn));
  }
}

void write_columns(Markup& out, const std::vector<SampleColumn>& columns, size_t most) {
  const auto grid = out.open("div", {{"class", "columns"}});
  for (const auto& column : columns) {
    const auto article = out.open("div", {{"class", "column"}});
    {
      const auto heading = out.open("h4");
      if (column.style) write_swatch(out, *column.style);
      out.text(column.heading);
    }
    const auto& completions = column.group->completions;
    for (size_t i = 0; i < std::min(most, completions.size()); ++i) write_completion(out, completions[i], i + 1);
    if (completions.size() > most)
      out.element("p", {{"class", "how"}}, fmt::format("{} more of this group not shown.", completions.size() - most));
    write_values(out, column, most);
  }
}

std::string last_turn(const std::string& prompt) {
  const auto turns = by_turns(prompt);
  if (turns.empty()) return "(empty prompt)";
  std::string line = turns.back().text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return shortened(line, summary_characters);
}

}  // namespace compeer::report
