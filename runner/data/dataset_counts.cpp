#include "data/dataset_counts.h"

#include <algorithm>

namespace compeer::data {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kMostValues = 1000;  // of a label that are written out; one with more is free text

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int64_t words(const std::string& text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) count += !is_space(text[i]) && (i == 0 || is_space(text[i - 1]));
  return count;
}

int64_t characters(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// One value of a label, or the several of a list.
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
    if (table.values.size() <= kMostValues) all[name]["counts"] = table.values;
  }
  return all;
}

}  // namespace

void Extent::add(int64_t value) {
  least = count ? std::min(least, value) : value;
  most = count ? std::max(most, value) : value;
  sum += value;
  ++count;
}

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

}  // namespace compeer::data
