// The cases of datasets and stages.
#include <fmt/format.h>

#include <set>

#include "compeer/testing.h"
#include "conformance/worker/cases.h"

namespace compeer::conformance {

namespace {

using nlohmann::json;

const std::vector<std::string> splits{"train", "valid", "test"};

int64_t size_of(plugin::Plugin<Dataset>& dataset, const std::string& split) {
  return dataset.call("size", [&](Dataset& d) { return d.size(split); });
}

Case<Dataset> get_case(const std::string& split, int64_t index) {
  return {fmt::format("{} {}", split, index), "get", [split, index](plugin::Plugin<Dataset>& dataset) {
            return bytes(dataset.call("get", [&](Dataset& d) { return d.get(split, index); }));
          }};
}

std::string unreadable(plugin::Plugin<Dataset>& dataset) {
  json all;
  for (const Unreadable& one : dataset.call("unreadable", [](Dataset& d) { return d.unreadable(); }))
    all.push_back({one.file, one.record, one.reason});
  return bytes(all);
}

Case<Stage> make_case(const std::string& input, const std::vector<json>& records) {
  return {input, "make", [records](plugin::Plugin<Stage>& stage) {
            json all;
            for (const Outcome& one : untouched([&] { return plugin::make(stage, records); }, records))
              all.push_back({one.records, one.dropped, one.unchanged, one.counts});
            return bytes(all);
          }};
}

// Returns a record in which all turns are `text`.
json odd_record(const std::string& id, const std::string& text) {
  json record = made_up_record(id);
  for (const char* turns : {"turns", "history"}) {
    for (json& turn : record[turns]) turn["text"] = text;
  }
  record["reference"] = text;
  return record;
}

}  // namespace

Cases<Dataset> cases_for(const Subject<Dataset>& subject) {
  Cases<Dataset> all;
  for (const auto& split : splits) {
    const auto size = size_of(subject.plugin, split);
    for (const int64_t index : std::set<int64_t>{0, size / 2, size - 1}) {
      if (index >= 0 && index < size) all.cases.push_back(get_case(split, index));
    }
  }
  all.cases.push_back({"train, valid and test", "size", [](plugin::Plugin<Dataset>& dataset) {
                         std::vector<int64_t> sizes;
                         for (const auto& split : splits) sizes.push_back(size_of(dataset, split));
                         return bytes(sizes);
                       }});
  all.cases.push_back({"records left out", "unreadable", unreadable});
  all.rules = {{"the first thousand examples are complete and have different ids; an unknown split is empty", "get",
                [](Dataset& dataset) { return dataset_problem(dataset); }}};
  return all;
}

Cases<Stage> cases_for(const Subject<Stage>& subject) {
  Cases<Stage> all;
  auto records = subject.request.records;
  all.cases = {make_case("records", records), make_case("a single record", {records.front()}),
               make_case("no records", {})};
  for (size_t i = 1; i < all_texts().size(); ++i) {
    const SampleTexts& one = all_texts()[i];
    if (one.sort == "{} that are not UTF-8") continue;  // record files are UTF-8
    records.push_back(odd_record("odd-" + std::to_string(i), one.texts.front()));
    all.cases.push_back(make_case(one.name_for("texts"), {records.back()}));
  }
  all.cases.push_back({"its files", "cache_key", [](plugin::Plugin<Stage>& stage) {
                         return stage.call("cache_key", [](Stage& s) { return s.cache_key(); });
                       }});
  all.rules = {{"a record has the same result alone and with others, and counts add up", "make",
                [given = subject.request.records](Stage& stage) { return stage_problem(stage, given); }}};
  all.prepare = [records](plugin::Plugin<Stage>& stage) {
    stage.call("add_summary", [&](Stage& s) {
      for (size_t i = 0; s.needs_summaries() && i < records.size(); ++i) s.add_summary(s.summary(records[i]));
    });
  };
  return all;
}

}  // namespace compeer::conformance
