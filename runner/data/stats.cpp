#include "data/stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/dataset_counts.h"
#include "inference/open_plugin.h"
#include "spec/text.h"

namespace compeer::data {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kMostRows = 40;     // of a table on a terminal
constexpr size_t kMostNamed = 20;    // unreadable records
constexpr size_t kWidestLabel = 60;  // characters

double percent(int64_t part, int64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

void print_table(const std::string& name, const LabelTable& table) {
  const int64_t all = table.given + table.missing;
  fmt::print("\n{}: {} of {} have it, {} different\n", spec::printable(name), table.given, all, table.values.size());
  if (table.values.size() > kMostRows) return;
  std::vector<std::pair<std::string, int64_t>> rows(table.values.begin(), table.values.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [value, number] : rows)
    fmt::print("  {:>8} {:5.1f} %  {}\n", number, percent(number, table.given), spec::printable(value, kWidestLabel));
}

void print_extent(const std::string& name, const Extent& extent) {
  if (extent.count) fmt::print("{:<28} {:8.1f}  ({} to {})\n", name, extent.mean(), extent.least, extent.most);
}

void print_unreadable(const std::vector<Unreadable>& records, bool all) {
  if (records.empty()) return;
  fmt::print("\nrecords that can't be read: {}\n", records.size());
  const size_t shown = all ? records.size() : std::min(records.size(), kMostNamed);
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
  if (counts.empty) fmt::print("without a turn: {}\n", counts.empty);
  print_extent("turns of a dialogue", counts.per_dialogue);
  print_extent("rounds of a dialogue", counts.rounds);
  for (const auto& [role, extent] : counts.lengths)
    print_extent(fmt::format("{} of a turn, {}", counts.in_characters ? "characters" : "words", role), extent);
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
