#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/comparing/subject.h"
#include "report/drawing/numbers.h"
#include "report/drawing/passages.h"
#include "report/drawing/svg.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

using nlohmann::json;

constexpr size_t most_bytes = 600'000, most_dialogues = 6, most_runs = 6, most_turns = 60, longest_turn = 1600;
constexpr size_t summary_characters = 110;

/// Runs whose transcripts come from the same kind of stage, and of the same dialogues.
struct DialogueGroup {
  std::string plugin;
  std::vector<size_t> runs;
  size_t more = 0;  ///< runs that are not shown
};

std::string text_in(const json& table, const char* key) {
  return table.is_object() && table.contains(key) && table[key].is_string() ? table[key].get<std::string>() : "";
}

std::string id_of(const json& record) {
  const auto id = text_in(record, "id");
  return id.empty() && record.contains("id") ? record["id"].dump() : id;
}

const json* record_of(const RunData& run, const std::string& id) {
  for (const auto& record : run.transcripts) {
    if (id_of(record) == id) return &record;
  }
  return nullptr;
}

/// The plugin of the stage that played the dialogues, also if a later one has measured them.
std::string played_by(const RunData& run) {
  for (size_t i = 0; i < run.stages.size(); ++i) {
    if (run.stages[i].name == run.transcripts_of) return run.stages[subject_stage(run, i)].plugin;
  }
  return "";
}

/// Of the same data, or (what runs have made of it may be the data of others) with an id in common.
bool same_dialogues(const RunData& a, const RunData& b) {
  const auto in_both = [&](const json& record) { return record_of(b, id_of(record)) != nullptr; };
  return data_of(a) == data_of(b) || std::any_of(a.transcripts.begin(), a.transcripts.end(), in_both);
}

std::vector<DialogueGroup> groups_of(const std::vector<RunData>& runs) {
  std::vector<DialogueGroup> groups;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].transcripts.empty()) continue;
    const auto plugin = played_by(runs[i]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const DialogueGroup& g) {
      return g.plugin == plugin && same_dialogues(runs[g.runs.front()], runs[i]);
    });
    if (group == groups.end()) group = groups.insert(groups.end(), DialogueGroup{plugin, {}, 0});
    group->runs.size() < most_runs ? group->runs.push_back(i) : void(++group->more);
  }
  return groups;
}

/// In the order of the first run's data: those that all have, else (a run may have dropped many) those of the first.
std::vector<std::string> shared_ids(const std::vector<RunData>& runs, const DialogueGroup& group) {
  std::vector<std::string> everywhere, of_first;
  for (const auto& record : runs[group.runs.front()].transcripts) {
    of_first.push_back(id_of(record));
    const auto has = [&](size_t run) { return record_of(runs[run], of_first.back()) != nullptr; };
    if (std::all_of(group.runs.begin(), group.runs.end(), has)) everywhere.push_back(of_first.back());
  }
  auto& ids = everywhere.empty() ? of_first : everywhere;
  ids.resize(std::min(ids.size(), most_dialogues));
  return ids;
}

/// Numbers by name, those of inner tables as "judge/fluency"; texts that say how it ended, too.
void gather(const json& table, const std::string& path, std::vector<std::pair<std::string, std::string>>& all) {
  if (!table.is_object()) return;
  for (const auto& [name, value] : table.items()) {
    if (value.is_number()) all.emplace_back(path + name, compact(value.get<double>()));
    if (value.is_null()) all.emplace_back(path + name, "none");
    if (value.is_object()) gather(value, path + name + "/", all);
  }
}

void write_numbers(Markup& out, const std::vector<std::pair<std::string, std::string>>& numbers) {
  if (numbers.empty()) return;
  const auto line = out.open("p", {{"class", "numbers"}});
  for (const auto& [name, value] : numbers) {
    const auto pair = out.open("span");
    out.text(name + " ");
    out.element("b", {}, value);
  }
}

/// Scores of the record: its numbers, and what stands under `scores` and `judged`.
std::vector<std::pair<std::string, std::string>> scores_of(const json& record) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [name, value] : record.items()) {
    if (value.is_number() && name != "id") all.emplace_back(name, compact(value.get<double>()));
    if (name == "scores" || name == "judged" || name == "truth") gather(value, "", all);
  }
  return all;
}

void write_steps(Markup& out, const json& turn) {
  if (!turn.contains("steps") || !turn["steps"].is_object()) return;
  for (const char* name : {"history", "emotion", "strategy"}) {
    const auto text = text_in(turn["steps"], name);
    if (text.empty()) continue;
    const auto step = out.open("p", {{"class", "step"}, {"dir", "auto"}});
    out.element("span", {{"class", "tag"}}, name);
    out.text(" " + cut(text, longest_turn));
  }
}

using Numbers = std::vector<std::pair<std::string, std::string>>;

/// Of a turn: its own, and those of the same turn in SAGE's layout, where the emotion point stands.
Numbers numbers_of(const json& record, size_t turn) {
  Numbers numbers;
  const auto add = [&](const json& table) {
    if (!table.is_object()) return;
    for (const auto& [name, value] : table.items()) {
      if (value.is_number()) numbers.emplace_back(name, compact(value.get<double>()));
    }
  };
  const json& turns = record["turns"];
  add(turns[turn]);
  const bool both = record.contains("history") && record["history"].is_array();
  if (!both || record["history"].size() != turns.size() || !numbers.empty()) return numbers;
  add(record["history"][turn]);
  return numbers;
}

void write_turn(Markup& out, const json& turn, const Numbers& numbers) {
  if (!turn.is_object()) return;
  const bool own = text_in(turn, "role") == "assistant";
  const auto block = out.open("div", {{"class", own ? "said own" : "said"}});
  const auto role = text_in(turn, "role");
  out.element("p", {{"class", "who"}}, role == "user" ? "seeker" : own ? "supporter" : role);
  write_steps(out, turn);
  const auto text = text_in(turn, "text");
  out.element("p", {{"class", text.empty() ? "reply empty" : "reply"}, {"dir", "auto"}},
              text.empty() ? "(nothing)" : cut(text, longest_turn));
  write_numbers(out, numbers);
}

void write_column(Markup& out, const RunData& run, size_t style, const std::string& id) {
  const auto column = out.open("div", {{"class", "column"}});
  {
    const auto heading = out.open("h4");
    write_swatch(out, style);
    out.text(run.name);
  }
  const auto* record = record_of(run, id);
  if (!record) return out.element("p", {{"class", "how"}}, "This run kept no such dialogue.");
  write_numbers(out, scores_of(*record));
  const json& turns = (*record)["turns"];
  for (size_t i = 0; i < std::min(turns.size(), most_turns); ++i) write_turn(out, turns[i], numbers_of(*record, i));
  if (turns.size() > most_turns)
    out.element("p", {{"class", "how"}}, fmt::format("{} more turns.", turns.size() - most_turns));
}

std::string first_words(const json& record) {
  for (const auto& turn : record["turns"]) {
    auto text = text_in(turn, "text");
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (!text.empty()) return shortened(text, summary_characters);
  }
  return "(nothing was said)";
}

/// "sage"; where others have the plugin too, with its runs: "sage: a and 2 more".
std::string heading(const std::vector<RunData>& runs, const std::vector<DialogueGroup>& groups,
                    const DialogueGroup& group) {
  const auto same = [&](const DialogueGroup& other) { return other.plugin == group.plugin; };
  if (std::count_if(groups.begin(), groups.end(), same) == 1) return group.plugin;
  const size_t others = group.runs.size() + group.more - 1;
  return group.plugin + ": " + runs[group.runs.front()].name + (others > 0 ? fmt::format(" and {} more", others) : "");
}

void write_group(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const DialogueGroup& group) {
  const auto ids = shared_ids(runs, group);
  out.element(
      "p", {{"class", "how"}},
      fmt::format(
          "The first {} dialogues that {} kept, in the order of the data{}; none is chosen for what was "
          "said. All are in the run's folder, in stages/.",
          ids.size(), group.runs.size() == 1 ? runs[group.runs[0]].name : "the runs",
          group.more > 0 ? fmt::format("; {} of {} runs", group.runs.size(), group.runs.size() + group.more) : ""));
  for (size_t i = 0; i < ids.size() && out.size() < most_bytes; ++i) {
    const auto details = out.open("details", {{"class", "sample"}});
    {
      const auto summary = out.open("summary");
      out.element("b", {}, ids[i]);
      out.element("span", {{"dir", "auto"}}, first_words(*record_of(runs[group.runs.front()], ids[i])));
    }
    const auto columns = out.open("div", {{"class", "columns"}});
    for (const size_t run : group.runs) write_column(out, runs[run], lineage.style(run), ids[i]);
  }
}

}  // namespace

void write_transcripts(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto groups = groups_of(runs);
  for (const auto& group : groups) {
    out.element("h3", {}, heading(runs, groups, group));
    write_group(out, runs, lineage, group);
  }
}

}  // namespace compeer::report
