// `compeer data stats`: numbers of dialogues, turns and labels in data sets.
#include "data/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/dataset.h"
#include "inference/services.h"
#include "plugin/open.h"
#include "spec/text.h"

namespace compeer::data {

namespace {

// Minimum, mean and maximum of some values.
struct Extent {
  int64_t count = 0, least = 0, most = 0, sum = 0;
  void add(int64_t value);
  double mean() const { return count ? static_cast<double>(sum) / static_cast<double>(count) : 0.0; }
};

// Number of occurrences of each value of a label.
struct LabelTable {
  int64_t given = 0, missing = 0;  ///< missing: null values
  std::map<std::string, int64_t> values;
};

// Contents of a data set.
struct DatasetCounts {
  int64_t dialogues = 0, empty = 0;                              ///< empty: dialogues without a turn
  std::map<std::string, int64_t> turns;                          ///< number of turns by role
  std::map<std::string, std::map<std::string, int64_t>> splits;  ///< split -> {"dialogues", "turns"}
  Extent per_dialogue, rounds;                    ///< per dialogue: turns; rounds as the record's "rounds" says
  std::map<std::string, Extent> lengths;          ///< length of a turn by role, in words or characters
  bool in_characters = false;                     ///< lengths are in characters: the text has no spaces
  std::map<std::string, LabelTable> labels;       ///< labels of dialogues, from Example::record; nested ones: "a.b"
  std::map<std::string, LabelTable> turn_labels;  ///< labels of turns: "assistant.strategy"
  std::vector<Unreadable> unreadable;
};

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t most_values = 1000;  // a label with more different values is free text, and they are not listed

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int64_t words(const std::string& text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) count += !is_space(text[i]) && (i == 0 || is_space(text[i - 1]));
  return count;
}

int64_t characters(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// Counts a value of a label; lists and objects are counted element by element.
void tally(std::map<std::string, LabelTable>& tables, const std::string& name, const json& value) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) tally(tables, name.empty() ? key : name + "." + key, inner);
  } else if (value.is_array()) {
    for (const json& one : value) tally(tables, name, one);
  } else if (value.is_null()) {
    ++tables[name].missing;
  } else {
    ++tables[name].given;
    ++tables[name].values[value.is_string() ? value.get<std::string>() : value.dump()];
  }
}

class Counter {
 public:
  explicit Counter(DatasetCounts& counts) : counts_(counts) {}

  void add(const Example& example, const std::string& split) {
    json record = example.record.is_object() ? example.record : json::object();
    counts_.in_characters = record.value("language", "") == "zh";
    const json labels = take(record, "labels"), rounds = take(record, "rounds");
    if (rounds.is_number_integer()) counts_.rounds.add(rounds.get<int64_t>());
    for (const char* name : {"dialogue", "source", "language"}) record.erase(name);
    tally(counts_.labels, "", record);

    auto history = example.history;
    if (!example.answer.empty()) history.push_back({"assistant", example.answer});
    for (size_t i = 0; i < history.size(); ++i) {
      turn(history[i]);
      if (labels.is_array() && i < labels.size()) tally(counts_.turn_labels, history[i].role, labels[i]);
    }
    ++counts_.dialogues;
    counts_.empty += history.empty();
    counts_.per_dialogue.add(static_cast<int64_t>(history.size()));
    ++counts_.splits[split]["dialogues"];
    counts_.splits[split]["turns"] += static_cast<int64_t>(history.size());
  }

 private:
  static json take(json& record, const char* name) {
    json value = record.contains(name) ? std::move(record.at(name)) : json();
    record.erase(name);
    return value;
  }

  void turn(const Turn& turn) {
    const auto& who = turn.role;
    ++counts_.turns[who];
    counts_.lengths[who].add(counts_.in_characters ? characters(turn.text) : words(turn.text));
  }

  DatasetCounts& counts_;
};

ordered_json extent_json(const Extent& extent) {
  return {{"min", extent.least}, {"mean", extent.mean()}, {"max", extent.most}};
}

ordered_json tables_json(const std::map<std::string, LabelTable>& tables) {
  auto all = ordered_json::object();
  for (const auto& [name, table] : tables) {
    all[name] = {{"given", table.given}, {"missing", table.missing}, {"different", table.values.size()}};
    if (table.values.size() <= most_values) all[name]["counts"] = table.values;
  }
  return all;
}

void Extent::add(int64_t value) {
  least = count ? std::min(least, value) : value;
  most = count ? std::max(most, value) : value;
  sum += value;
  ++count;
}

// Reads and counts all examples. An example's answer counts as its last turn. Labels of turns are the elements of
// record["labels"], one per turn (plugins/corpora/README.md).
DatasetCounts count(plugin::Plugin<Dataset>& dataset) {
  DatasetCounts counts;
  Counter counter(counts);
  for (const std::string split : {"train", "valid", "test"}) {
    const int64_t size = dataset.call("size", [&](Dataset& d) { return d.size(split); });
    for (int64_t i = 0; i < size; ++i)
      counter.add(dataset.call("get", [&](Dataset& d) { return d.get(split, i); }), split);
  }
  counts.unreadable = dataset.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  return counts;
}

ordered_json counts_json(const DatasetCounts& counts) {
  auto lengths = ordered_json::object();
  for (const auto& [role, extent] : counts.lengths) lengths[role] = extent_json(extent);
  auto records = ordered_json::array();
  for (const Unreadable& one : counts.unreadable)
    records.push_back({{"file", one.file}, {"record", one.record}, {"reason", one.reason}});
  int64_t turns = 0;
  for (const auto& [role, number] : counts.turns) turns += number;
  return {{"dialogues", counts.dialogues},
          {"empty_dialogues", counts.empty},
          {"turns", turns},
          {"turns_by_role", counts.turns},
          {"turns_per_dialogue", extent_json(counts.per_dialogue)},
          {"rounds_per_dialogue", extent_json(counts.rounds)},
          {"length_unit", counts.in_characters ? "characters" : "words"},
          {"length_of_turns", lengths},
          {"splits", counts.splits},
          {"labels", tables_json(counts.labels)},
          {"turn_labels", tables_json(counts.turn_labels)},
          {"unreadable", records}};
}

constexpr size_t most_rows = 40;     // maximum number of rows of a printed table
constexpr size_t most_named = 20;    // maximum number of unreadable records to list
constexpr size_t widest_label = 60;  // maximum length of a printed label, in characters

double percent(int64_t part, int64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

void print_table(const std::string& name, const LabelTable& table) {
  const int64_t all = table.given + table.missing;
  fmt::print("\n{}: in {} of {}, {} distinct values\n", spec::printable(name), table.given, all, table.values.size());
  if (table.values.size() > most_rows) return;
  std::vector<std::pair<std::string, int64_t>> rows(table.values.begin(), table.values.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [value, number] : rows)
    fmt::print("  {:>8} {:5.1f} %  {}\n", number, percent(number, table.given), spec::printable(value, widest_label));
}

void print_extent(const std::string& name, const Extent& extent) {
  if (extent.count) fmt::print("{:<28} {:8.1f}  ({} to {})\n", name, extent.mean(), extent.least, extent.most);
}

void print_unreadable(const std::vector<Unreadable>& records, bool all) {
  if (records.empty()) return;
  fmt::print("\nrecords that can't be read: {}\n", records.size());
  const size_t shown = all ? records.size() : std::min(records.size(), most_named);
  for (size_t i = 0; i < shown; ++i)
    fmt::print("  {}, record {}: {}\n", spec::printable(records[i].file, 200), records[i].record,
               spec::printable(records[i].reason, 200));
  if (shown < records.size()) fmt::print("  ... and {} more (--all, --json)\n", records.size() - shown);
}

void print(const std::string& title, const DatasetCounts& counts, bool all) {
  fmt::print("{}\n{:<10} {:>10} {:>10}\n", title, "split", "dialogues", "turns");
  for (const char* split : {"train", "valid", "test"}) {
    const auto found = counts.splits.find(split);
    if (found == counts.splits.end()) continue;
    fmt::print("{:<10} {:>10} {:>10}\n", split, found->second.at("dialogues"), found->second.at("turns"));
  }
  fmt::print("{:<10} {:>10} {:>10}\n\n", "all", counts.dialogues, counts.per_dialogue.sum);
  if (counts.empty) fmt::print("without turns: {}\n", counts.empty);
  print_extent("turns per dialogue", counts.per_dialogue);
  print_extent("rounds per dialogue", counts.rounds);
  for (const auto& [role, extent] : counts.lengths)
    print_extent(fmt::format("{} per turn, {}", counts.in_characters ? "characters" : "words", role), extent);
  for (const auto& [name, table] : counts.labels) print_table(name, table);
  for (const auto& [name, table] : counts.turn_labels) print_table(name, table);
  print_unreadable(counts.unreadable, all);
}

}  // namespace

int data_stats(const json& options) {
  const auto services = inference::command_services();
  auto all = ordered_json::array();
  for (const json& source : options.at("sources")) {
    auto dataset = inference::open_plugin<Dataset>(source, services);
    const DatasetCounts counts = count(dataset);
    if (options.at("json")) {
      ordered_json one = {{"source", source.at("source")}, {"plugin", source.at("plugin")}};
      one["settings"] = source.at("settings");
      one.update(counts_json(counts));
      all.push_back(std::move(one));
    } else {
      if (source != options.at("sources").front()) fmt::print("\n");
      print(spec::printable(source.at("source").get<std::string>(), 200), counts, options.at("all"));
    }
  }
  if (options.at("json"))
    fmt::print("{}\n", ordered_json{{"sources", all}}.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  return 0;
}

}  // namespace compeer::data
