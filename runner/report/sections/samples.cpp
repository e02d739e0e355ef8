// Samples to read: completions, dialogues and other records of stages, the runs side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string_view>

#include "report/comparing/compare.h"
#include "report/comparing/evaluations.h"
#include "report/drawing/passages.h"
#include "report/drawing/plots.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

using nlohmann::json;

constexpr size_t most_bytes = 600'000;  ///< per section
constexpr size_t most_shown = 6, most_columns = 6, most_completions = 4, most_turns = 60, most_rows = 100;
constexpr size_t longest_text = 1600, longest_turn = 3000, summary_characters = 110;

/// Names and values shown above a text.
using Numbers = std::vector<std::pair<std::string, std::string>>;

struct SampleColumn {
  std::string heading;
  std::optional<size_t> style;
  std::function<void()> write;
};

void write_numbers(Markup& out, const Numbers& numbers) {
  if (numbers.empty()) return;
  const auto line = out.open("p", {{"class", "numbers"}});
  for (const auto& [name, value] : numbers) {
    const auto pair = out.open("span");
    out.text(name + " ");
    out.element("b", {}, value);
  }
}

/// Writes a tagged part of a completion, such as a reasoning step.
void write_step(Markup& out, const std::string& name, const std::string& text) {
  const auto step = out.open("p", {{"class", "step"}, {"dir", "auto"}});
  out.element("span", {{"class", "tag"}}, name);
  out.text(" " + text);
}

void write_reply(Markup& out, const std::string& text) {
  out.element("p", {{"class", text.empty() ? "reply empty" : "reply"}, {"dir", "auto"}},
              text.empty() ? "(nothing)" : text);
}

/// Writes a folded block: its summary line, the common part, and the columns.
void write_block(Markup& out, bool open, const std::string& lead, std::string line, const std::function<void()>& common,
                 const std::vector<SampleColumn>& columns) {
  const auto details =
      open ? out.open("details", {{"class", "sample"}, {"open", "open"}}) : out.open("details", {{"class", "sample"}});
  std::replace(line.begin(), line.end(), '\n', ' ');
  {
    const auto summary = out.open("summary");
    out.element("b", {}, lead);
    out.element("span", {{"dir", "auto"}}, shortened(line, summary_characters));
  }
  common();
  const auto grid = out.open("div", {{"class", "columns"}});
  for (const auto& column : columns) {
    const auto whole = out.open("div", {{"class", "column"}});
    {
      const auto heading = out.open("h4");
      if (column.style) write_swatch(out, *column.style);
      out.text(column.heading);
    }
    column.write();
  }
}

// Completions.

/// Formats with two decimals; small values with three significant digits.
std::string value_text(double value) { return value != 0 && std::abs(value) < 0.05 ? compact(value) : fixed(value, 2); }

/// True for values shown above each completion: the reward, similarities, and the reward after reweighting.
bool is_main(const std::string& name) {
  const Metric metric = describe(name);
  const bool likeness = name.ends_with("/s_in") || name.ends_with("/s_hi") || name.ends_with("/divisor");
  return name == "reward" || name == "advantage" || name == "reweighted" || likeness ||
         (metric.topic == Topic::reward && metric.title == "quality");
}

void write_completion(Markup& out, const SampledCompletion& completion, size_t number) {
  const auto block = out.open("div", {{"class", "completion"}});
  Numbers numbers = {{"", fmt::format("{}", number)}};
  for (const auto& [name, value] : completion.values) {
    if (is_main(name) && std::isfinite(value)) numbers.emplace_back(describe(name).title, value_text(value));
  }
  numbers.emplace_back("tokens", fmt::format("{}{}", completion.tokens, completion.finished ? "" : ", cut off"));
  write_numbers(out, numbers);
  const auto passages = by_tags(cut(completion.text, longest_text));
  if (passages.empty()) write_reply(out, "");
  for (const auto& passage : passages)
    passage.name.empty() ? write_reply(out, passage.text) : write_step(out, passage.name, passage.text);
}

/// Writes a table of all recorded values of a group: metrics down, completions across.
void write_values(Markup& out, const SampleGroup& group, size_t shown) {
  if (shown == 0 || group.completions[0].values.empty()) return;
  const auto details = out.open("details", {{"class", "values"}});
  out.element("summary", {}, "all values");
  PageTable table{"Values of " + group.example_id, "value"};
  for (size_t i = 0; i < shown; ++i) table.columns.push_back({fmt::format("{}", i + 1)});
  for (size_t v = 0; v < group.completions[0].values.size(); ++v) {
    const Metric metric = describe(group.completions[0].values[v].first);
    TableRow row{metric.title, metric.from};
    for (size_t i = 0; i < shown; ++i) {
      const auto& values = group.completions[i].values;
      row.cells.push_back({v < values.size() ? value_text(values[v].second) : "", ""});
    }
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

SampleColumn column_of(Markup& out, const std::string& heading, std::optional<size_t> style, const SampleGroup& group) {
  return {heading, style, [&out, &group] {
            const size_t shown = std::min(most_completions, group.completions.size());
            for (size_t i = 0; i < shown; ++i) write_completion(out, group.completions[i], i + 1);
            if (group.completions.size() > shown)
              out.element("p", {{"class", "how"}}, fmt::format("{} more", group.completions.size() - shown));
            write_values(out, group, shown);
          }};
}

void write_prompt_block(Markup& out, bool open, const std::string& lead, const std::string& prompt,
                        const std::vector<SampleColumn>& columns) {
  const auto turns = by_turns(prompt);
  const auto write_prompt = [&] {
    const auto list = out.open("dl", {{"class", "turns"}});
    for (const auto& turn : turns) {
      const auto pair = out.open("div", {{"class", turn.name == "assistant" ? "turn own" : "turn"}});
      out.element("dt", {}, turn.name.empty() ? "prompt" : turn.name);
      out.element("dd", {{"dir", "auto"}}, cut(turn.text, longest_turn));
    }
  };
  write_block(out, open, lead, turns.empty() ? "(empty prompt)" : turns.back().text, write_prompt, columns);
}

const SampleGroup* group_of(const RunData& run, const std::string& example) {
  const auto same = [&](const SampleGroup& group) { return group.example_id == example; };
  const auto found = std::find_if(run.groups.begin(), run.groups.end(), same);
  return found == run.groups.end() ? nullptr : &*found;
}

/// Writes the first prompts that all runs of a group answered.
void write_evaluation(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                      const EvaluationGroup& group) {
  std::vector<std::pair<size_t, std::string>> which;
  size_t more = 0;
  for (const auto& candidate : group.candidates) {
    const size_t run = candidate.evaluations.front().run;
    if (runs[run].groups.empty()) continue;
    which.size() < most_columns ? void(which.emplace_back(run, candidate.label)) : void(++more);
  }
  if (which.empty()) return;
  size_t shown = 0;
  for (const auto& first : runs[which[0].first].groups) {
    std::vector<SampleColumn> columns;
    for (const auto& [run, label] : which) {
      if (const auto* same = group_of(runs[run], first.example_id))
        columns.push_back(column_of(out, label, lineage.style(run), *same));
    }
    if (columns.size() < which.size() || shown == most_shown || out.size() > most_bytes) continue;
    if (shown == 0)
      out.element("h3", {},
                  group.heading + (more > 0 ? fmt::format(", {} of {}", which.size(), which.size() + more) : ""));
    write_prompt_block(out, shown == 0, first.example_id, first.prompt, columns);
    ++shown;
  }
}

/// Writes the first group of the first and of the last step. These are usually different prompts, shown with each
/// block.
void write_training(Markup& out, const RunData& run) {
  for (size_t i = 0; i < run.groups.size(); ++i) {
    const auto& group = run.groups[i];
    if (i > 0 && group.step == run.groups[i - 1].step) continue;
    write_prompt_block(out, false, fmt::format("{}, step {}", run.name, group.step), group.prompt,
                       {column_of(out, group.example_id, {}, group)});
  }
}

// Records of stages.

/// Stages whose records are shown side by side, as (run, stage) indices.
struct RecordGroup {
  std::string plugin;
  bool dialogues;
  std::vector<std::pair<size_t, size_t>> stages;
  size_t more = 0;  ///< number of stages that are not shown
};

std::string id_of(const json& record) {
  const auto id = text_in(record, "id");
  return id.empty() && record.contains("id") ? record["id"].dump() : id;
}

const json* record_of(const StageData& stage, const std::string& id) {
  const auto found =
      std::find_if(stage.records.begin(), stage.records.end(), [&](auto& one) { return id_of(one) == id; });
  return found == stage.records.end() ? nullptr : &*found;
}

/// Groups stages with dialogues by plugin, and stages with other records, if they have the same data or a record id in
/// common (the output of one run may be the data of another).
std::vector<RecordGroup> record_groups(const std::vector<RunData>& runs) {
  std::vector<RecordGroup> groups;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 1; i < runs[run].stages.size(); ++i) {
      const auto& stage = runs[run].stages[i];
      if (stage.records.empty()) continue;
      const auto& plugin = runs[run].stages[subject_stage(runs[run], i)].plugin;
      const bool dialogues = stage.records[0].contains("turns");
      const auto fits = [&](const RecordGroup& group) {
        const auto& [other, other_stage] = group.stages.front();
        const auto& first = runs[other].stages[other_stage];
        if (group.dialogues != dialogues || (dialogues && group.plugin != plugin)) return false;
        return data_of(runs[other]) == data_of(runs[run]) ||
               std::any_of(stage.records.begin(), stage.records.end(),
                           [&](const json& record) { return record_of(first, id_of(record)) != nullptr; });
      };
      auto group = std::find_if(groups.begin(), groups.end(), fits);
      if (group == groups.end()) group = groups.insert(groups.end(), RecordGroup{plugin, dialogues, {}});
      group->stages.size() < most_columns ? void(group->stages.emplace_back(run, i)) : void(++group->more);
    }
  }
  return groups;
}

/// Collects numbers by name; those of nested tables as "judge/fluency".
void gather(const json& table, const std::string& path, Numbers& all) {
  for (const auto& [name, value] : table.items()) {
    if (value.is_number() && name != "id") all.emplace_back(path + name, compact(value.get<double>()));
    if (value.is_null() && !path.empty()) all.emplace_back(path + name, "none");
    if (value.is_object()) gather(value, path + name + "/", all);
  }
}

void write_turn(Markup& out, const json& turn) {
  if (!turn.is_object()) return;
  const auto role = text_in(turn, "role");
  const auto block = out.open("div", {{"class", role == "assistant" ? "said own" : "said"}});
  out.element("p", {{"class", "who"}}, role);
  for (const auto& [name, part] : turn.items()) {
    if (!part.is_object()) continue;
    for (const auto& [step, text] : part.items()) {
      if (text.is_string()) write_step(out, step, cut(text.get<std::string>(), longest_text));
    }
  }
  write_reply(out, cut(text_in(turn, "text"), longest_text));
  Numbers numbers;
  for (const auto& [name, value] : turn.items()) {
    if (value.is_number()) numbers.emplace_back(name, compact(value.get<double>()));
  }
  write_numbers(out, numbers);
}

void write_dialogue(Markup& out, const json& record) {
  Numbers numbers;
  gather(record, "", numbers);
  write_numbers(out, numbers);
  const json& turns = record["turns"];
  for (size_t i = 0; i < std::min(turns.size(), most_turns); ++i) write_turn(out, turns[i]);
  if (turns.size() > most_turns)
    out.element("p", {{"class", "how"}}, fmt::format("{} more turns", turns.size() - most_turns));
}

std::string first_words(const json& record) {
  for (const char* list : {"turns", "history"}) {
    for (const json& turn : record.is_object() ? record.value(list, json()) : json()) {
      if (const auto text = text_in(turn, "text"); !text.empty()) return text;
    }
  }
  return "";
}

/// True if a stage judged differently from what the record itself says: compares "judged.preference" with "preference",
/// or "judged.steps" with the first of "steps".
bool disagrees(const std::map<std::string, std::string>& fields, const std::string& path, const std::string& value) {
  constexpr std::string_view judged = "judged.";
  if (!path.starts_with(judged)) return false;
  const auto plain = [](std::string text) {  // "True" equals true
    std::erase(text, '"');
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  for (const auto* end : {"", "[0]"}) {
    const auto own = fields.find(path.substr(judged.size()) + end);
    if (own != fields.end()) return plain(own->second) != plain(value);
  }
  return false;
}

/// Writes all values of a record except the turns of a dialogue, one column per stage. Bold: differs from the first
/// column. "≠": the judgement differs from the record's own field.
void write_fields(Markup& out, const std::string& id, const std::vector<std::pair<std::string, const json*>>& columns) {
  PageTable table{id, "field"};
  std::vector<std::map<std::string, std::string>> records;
  std::map<std::string, std::string> fields;
  for (const auto& [heading, record] : columns) {
    table.columns.push_back({heading, "", "", false});
    records.push_back(record ? flattened(*record) : std::map<std::string, std::string>());
    if (record && record->contains("turns"))
      std::erase_if(records.back(), [](const auto& field) {
        return field.first.starts_with("turns[") || field.first.starts_with("history[");
      });
    fields.insert(records.back().begin(), records.back().end());
  }
  for (const auto& [path, value] : fields) {
    if (table.groups[0].rows.size() == most_rows) break;
    TableRow row{path};
    for (const auto& record : records) {
      const auto found = record.find(path);
      row.cells.push_back({found == record.end() ? "–" : cut(unquoted(found->second), longest_text), ""});
      row.cells.back().best = row.cells.back().text != row.cells.front().text;
      if (found != record.end() && disagrees(record, path, found->second)) row.cells.back().text.insert(0, "≠ ");
    }
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

void write_records(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const RecordGroup& group) {
  const auto stage_of = [&](const auto& place) -> const StageData& { return runs[place.first].stages[place.second]; };
  // In the order of the first run's data: records that all stages have or, if there are none, those of the first stage.
  std::vector<const json*> everywhere, of_first;
  for (const auto& record : stage_of(group.stages[0]).records) {
    of_first.push_back(&record);
    const auto has = [&](const auto& place) { return record_of(stage_of(place), id_of(record)) != nullptr; };
    if (std::all_of(group.stages.begin(), group.stages.end(), has)) everywhere.push_back(&record);
  }
  auto& records = everywhere.empty() ? of_first : everywhere;
  records.resize(std::min(records.size(), most_shown));
  for (const auto* record : records) {
    if (out.size() > most_bytes) return;
    const auto id = id_of(*record);
    std::vector<SampleColumn> columns;
    std::vector<std::pair<std::string, const json*>> fields;
    for (const auto& place : group.stages) {
      const auto* same = record_of(stage_of(place), id);
      fields.emplace_back(runs[place.first].name + ", " + stage_of(place).name, same);
      columns.push_back({runs[place.first].name, lineage.style(place.first), [&out, same] {
                           same ? write_dialogue(out, *same) : out.element("p", {{"class", "how"}}, "not recorded");
                         }});
    }
    if (!group.dialogues) columns.clear();
    const auto common = [&] {
      if (!group.dialogues) return write_fields(out, id, fields);
      if (!record->contains("judged")) return;
      const auto details = out.open("details", {{"class", "values"}});
      out.element("summary", {}, "all fields");
      write_fields(out, id, fields);
    };
    write_block(out, false, id, first_words(*record), common, columns);
  }
}

}  // namespace

void write_samples(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  for (const auto& group : evaluations(runs, lineage)) {
    if (group.plugin.empty()) write_evaluation(out, runs, lineage, group);
  }
  bool headed = false;
  for (const auto& run : runs) {
    if (run.task == "evaluate" || run.groups.empty() || out.size() > most_bytes) continue;
    if (!headed) out.element("h3", {}, "From training");
    headed = true;
    write_training(out, run);
  }
}

void write_stage_records(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  for (const auto& group : record_groups(runs)) {
    std::string heading = group.plugin;
    for (size_t i = 0; i < group.stages.size(); ++i)
      heading += (i == 0 ? ": " : ", ") + runs[group.stages[i].first].name;
    out.element("h3", {}, heading + (group.more > 0 ? fmt::format(" and {} more", group.more) : ""));
    write_records(out, runs, lineage, group);
  }
}

}  // namespace compeer::report
