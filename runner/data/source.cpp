// Stage 0 of a data run: the examples of a dataset plugin as records.
#include "data/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "plugin/calls.h"

namespace compeer::data {

using nlohmann::json;

namespace {

const std::vector<std::string> split_names = {"train", "valid", "test"};

}  // namespace

RecordSource::RecordSource(plugin::Plugin<Dataset>& dataset, const std::vector<std::string>& splits, int64_t most)
    : dataset_(dataset) {
  for (const std::string& split : splits)
    splits_.emplace_back(split, plugin::records_in(dataset_, split, "data.splits"));
  for (const std::string& split : splits.empty() ? split_names : std::vector<std::string>{})
    splits_.emplace_back(split, dataset_.call("size", [&](Dataset& d) { return d.size(split); }));
  for (auto& [split, size] : splits_) {
    if (most > 0) size = std::min(size, most);
    total_ += size;
  }
  if (total_ == 0) plugin::records_in(dataset_, split_names.front(), "data.splits");  // throws
}

namespace {

// Returns the example's turns. If the record's "labels" is a list with one element per turn, moves each to its turn.
json turns_of(Example& example, json& record) {
  json turns = json::array();
  for (Turn& turn : example.history) {
    json& one = turns.emplace_back(json::value_t::object);  // a list of pairs would be copied twice
    one["role"] = std::move(turn.role);
    one["text"] = std::move(turn.text);
    if (!turn.pictures.empty()) one["pictures"] = std::move(turn.pictures);
  }
  const auto labels = record.find("labels");
  if (labels == record.end() || !labels->is_array() || labels->size() != turns.size()) return turns;
  for (size_t i = 0; i < turns.size(); ++i) {
    if (!(*labels)[i].empty()) turns[i]["labels"] = std::move((*labels)[i]);
  }
  record.erase(labels);
  return turns;
}

}  // namespace

json RecordSource::record(int64_t index) {
  size_t at = 0;
  while (index >= splits_[at].second) index -= splits_[at++].second;
  Example example = dataset_.call("get", [&](Dataset& d) { return d.get(splits_[at].first, index); });
  json record = example.record.is_object() ? std::move(example.record) : json::object();
  record["id"] = example.id;
  const auto split = record.find("split");
  if (split != record.end() && split->is_null())  // a dataset that was never divided into splits says null
    record.erase(split);
  else
    record["split"] = splits_[at].first;
  // An example without history (such as a profile) may have turns in its record.
  if (!example.history.empty() || !record.contains("turns")) record["turns"] = turns_of(example, record);
  if (!example.answer.empty()) record["reference"] = std::move(example.answer);
  return record;
}

PortionResult RecordSource::make(int64_t first, int64_t count, const Summarizer& summarize) {
  PortionResult portion;
  portion.tally.in = count;
  for (int64_t i = first; i < first + count; ++i) {
    const json made = record(i);
    try {
      portion.put(made, summarize);
    } catch (const json::exception&) {
      plugin::refuse(dataset_.identity(), "get",
                     fmt::format("returned a record with text that is not UTF-8 (number {})", i));
    }
  }
  return portion;
}

PortionResult RecordSource::unreadable() {
  PortionResult portion;
  for (const Unreadable& one : dataset_.call("unreadable", [](Dataset& d) { return d.unreadable(); })) {
    const json line = {{"file", one.file}, {"record", one.record}, {"reason", one.reason}};
    portion.dropped += line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    ++portion.tally.in;
    ++portion.tally.dropped["unreadable"];
  }
  return portion;
}

}  // namespace compeer::data
