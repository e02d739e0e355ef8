#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/drawing/passages.h"
#include "report/drawing/svg.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

using nlohmann::json;

constexpr size_t most_bytes = 300'000, most_records = 8, most_judges = 10, longest_text = 1200;
constexpr size_t summary_characters = 110;
constexpr std::array topics = {"history", "emotion", "strategy", "reply"};

/// The records that one stage judged.
struct JudgedStage {
  std::string name;
  const std::vector<json>* records;
};

std::vector<JudgedStage> judges_of(const std::vector<RunData>& runs) {
  std::vector<JudgedStage> judges;
  for (const auto& run : runs) {
    for (const auto& [stage, records] : run.judged)
      judges.push_back({run.judged.size() > 1 ? run.name + ", " + stage : run.name, &records});
  }
  return judges;
}

/// A place in a record, or null: "candidates", 0, "reply".
template <class... Keys>
json at(const json& value) {
  return value;
}
template <class Key, class... Keys>
json at(const json& value, const Key& key, const Keys&... keys) {
  if constexpr (std::is_convertible_v<Key, std::string>) {
    return value.is_object() && value.contains(key) ? at(value[key], keys...) : json();
  } else {
    return value.is_array() && static_cast<size_t>(key) < value.size() ? at(value[key], keys...) : json();
  }
}

std::string shown(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "–" : value.dump();
}

const json* record_of(const JudgedStage& judge, const json& id) {
  for (const auto& record : *judge.records) {
    if (at(record, "id") == id) return &record;
  }
  return nullptr;
}

std::string annotated(const json& record, size_t topic) {
  return shown(topic < 3 ? at(record, "steps", 0, topic) : at(record, "preference"));
}

/// What a judge said of a topic. One that only tells whether it contradicts itself has said it of all together.
std::string said(const json* record, size_t topic) {
  if (!record) return "–";
  const json judged = at(*record, "judged");
  if (judged.contains("said") && topic == 3)
    return shown(judged["said"]) + (at(judged, "contradictory") == true ? " (contradicts itself)" : "");
  return shown(topic < 3 ? at(judged, "steps", topic) : at(judged, "preference"));
}

void write_table(Markup& out, const json& record, const std::vector<JudgedStage>& judges) {
  PageTable table{"What was said of it", "of", {{"written", "", "", false}, {"annotators", "", "", false}}, {{"", {}}}};
  for (const auto& judge : judges) table.columns.push_back({judge.name, "", "", false});
  for (size_t topic = 0; topic < topics.size(); ++topic) {
    const auto truth = annotated(record, topic);
    TableRow row{topics[topic], "", {}, {}};
    row.cells.push_back({cut(shown(at(record, "candidates", 0, topics[topic])), longest_text), ""});
    row.cells.push_back({truth, ""});
    for (const auto& judge : judges) {
      const auto answer = said(record_of(judge, at(record, "id")), topic);
      const bool differs = truth != "–" && answer != "–" && answer != truth && answer.find(';') == std::string::npos;
      row.cells.push_back({(differs ? "≠ " : "") + answer, ""});
    }
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

void write_record(Markup& out, const json& record, const std::vector<JudgedStage>& judges) {
  const auto details = out.open("details", {{"class", "sample"}});
  const json history = at(record, "history");
  auto last = history.is_array() && !history.empty() ? shown(at(history.back(), "text")) : "";
  std::replace(last.begin(), last.end(), '\n', ' ');
  {
    const auto summary = out.open("summary");
    out.element("b", {}, shown(at(record, "id")));
    out.element("span", {{"dir", "auto"}}, shortened(last, summary_characters));
  }
  {
    const auto list = out.open("dl", {{"class", "turns"}});
    const auto add = [&](const std::string& who, const std::string& text) {
      const auto pair = out.open("div", {{"class", "turn"}});
      out.element("dt", {}, who);
      out.element("dd", {{"dir", "auto"}}, cut(text, longest_text));
    };
    for (size_t i = 0; history.is_array() && i < history.size(); ++i)
      add(shown(at(history, i, "role")), shown(at(history, i, "text")));
    add("reference", shown(at(record, "reference")));
  }
  write_table(out, record, judges);
}

}  // namespace

void write_judgements(Markup& out, const std::vector<RunData>& runs) {
  auto judges = judges_of(runs);
  if (judges.empty()) return;
  const size_t all = judges.size();
  judges.resize(std::min(all, most_judges));
  out.element(
      "p", {{"class", "how"}},
      fmt::format("The first records that {} judged, in the order of the data{}. ≠ stands where a judge and the "
                  "annotators disagree; of two replies “first” is the reference.",
                  judges[0].name, all > most_judges ? fmt::format("; {} of {} judges", most_judges, all) : ""));
  for (size_t i = 0; i < std::min(judges[0].records->size(), most_records) && out.size() < most_bytes; ++i)
    write_record(out, (*judges[0].records)[i], judges);
}

}  // namespace compeer::report
