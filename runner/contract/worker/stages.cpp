// What is asked of a stage: of every record what becomes of it (the door sees to the form), the same whatever is made
// with it, and whatever was made before.
#include <fmt/format.h>

#include <cmath>

#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"
#include "contract/worker/watch.h"

namespace compeer::contract {

namespace {

using nlohmann::json;
using Plugin = plugin::Plugin<Stage>;

std::string text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

/// What became of some records: of each, and what was counted over all of them.
struct StageResult {
  std::vector<std::string> outcomes;
  std::map<std::string, double> counts;
};

StageResult made(Plugin& stage, const std::vector<json>& records) {
  StageResult all;
  patience_begins();
  for (const Outcome& outcome : plugin::make(stage, records)) {
    all.outcomes.push_back(
        text({{"records", outcome.records}, {"dropped", outcome.dropped}, {"unchanged", outcome.unchanged}}));
    for (const auto& [name, count] : outcome.counts) all.counts[name] += count;
  }
  return all;
}

Case<Stage> makes(const std::string& input, const std::vector<json>& records) {
  return {input, "make", [records](Plugin& stage) {
            const StageResult all = untouched([&] { return made(stage, records); }, records);
            return bytes(all.outcomes) + text(all.counts);
          }};
}

// A record in which somebody said `said`.
json odd_record(const std::string& id, const std::string& said) {
  json record = made_up_record(id);
  for (const char* turns : {"turns", "history"}) {
    for (json& turn : record[turns]) turn["text"] = said;
  }
  record["reference"] = said;
  return record;
}

// Counts are added up: which outcome of a portion has them does not matter.
std::string otherwise_alone(Plugin& stage, const std::vector<json>& records) {
  const StageResult together = made(stage, records);
  std::map<std::string, double> counts;
  for (size_t i = 0; i < records.size(); ++i) {
    const StageResult alone = made(stage, {records[i]});
    if (alone.outcomes.at(0) != together.outcomes[i])
      return "record " + records[i].at("id").get<std::string>() + " becomes something else when it is made alone";
    for (const auto& [name, count] : alone.counts) counts[name] += count;
  }
  for (const auto& [name, count] : together.counts) {
    if (std::abs(counts[name] - count) > 1e-6 * std::abs(count))
      return fmt::format("'{}' is counted {} times, and {} when records are made alone", name, count, counts[name]);
  }
  return "";
}

std::string no_object(Plugin& stage) {
  const json found = stage.call("findings", [](Stage& s) { return s.findings({}); });
  return found.is_object() ? "" : "findings() returned no object";
}

}  // namespace

Kit<Stage> kit_for(const Subject<Stage>& subject) {
  Kit<Stage> kit;
  auto all = subject.records;
  kit.cases.push_back(makes("records", subject.records));
  kit.cases.push_back(makes("a single record", {subject.records.front()}));
  kit.cases.push_back(makes("no records", {}));
  for (size_t i = 1; i < all_texts().size(); ++i) {
    const SampleTexts& one = all_texts()[i];
    if (one.sort == "{} that are no UTF-8") continue;  // JSON lines hold none
    all.push_back(odd_record("odd-" + std::to_string(i), one.texts.front()));
    kit.cases.push_back(makes(one.of("texts"), {all.back()}));
  }
  kit.cases.push_back({"its files", "ingredients", [](Plugin& stage) {
                         return stage.call("ingredients", [](Stage& s) { return s.ingredients(); });
                       }});
  kit.rules = {{"a record becomes the same alone and with others", "make",
                [records = subject.records](Plugin& stage) { return otherwise_alone(stage, records); }},
               {"findings are an object", "findings", no_object}};
  kit.begin = [all](Plugin& stage) {
    if (!stage.call("surveys", [](Stage& s) { return s.surveys(); })) return;
    for (const json& record : all) {
      const auto glimpse = stage.call("glimpse", [&](Stage& s) { return s.glimpse(record); });
      stage.call("survey", [&](Stage& s) { s.survey(glimpse); });
    }
  };
  return kit;
}

}  // namespace compeer::contract
