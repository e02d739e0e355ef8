#include "report/load_stages.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "base/error.h"

namespace compeer::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t most_transcripts = 24;
constexpr size_t most_lines = 2000;         ///< of a file that transcripts are looked for in
constexpr size_t most_bytes = 32'000'000;   ///< likewise
constexpr size_t most_dropped = 1'000'000;  ///< lines of a file of dropped records

/// Settings of stage `number`; of stage 0 those of the dataset.
json settings_of(const RunData& run, size_t number) {
  if (number == 0) return run.spec.value("dataset", json::object());
  const json stages = run.spec.value("stages", json::array());
  return stages.is_array() && number <= stages.size() && stages[number - 1].is_object() ? stages[number - 1]
                                                                                        : json::object();
}

std::string text_in(const json& table, const char* key) {
  return table.is_object() && table.contains(key) && table[key].is_string() ? table[key].get<std::string>() : "";
}

/// A stage as its spec has it: what it is called, and its plugin.
StageData planned(const RunData& run, size_t number) {
  StageData stage;
  stage.settings = settings_of(run, number);
  stage.plugin = number == 0 ? "" : text_in(stage.settings, "plugin");
  const auto label = text_in(stage.settings, "label");
  stage.name = fmt::format("{:02}-{}", number, number == 0 ? "dataset" : label.empty() ? stage.plugin : label);
  return stage;
}

StageData told(const RunData& run, size_t number, const json& given) {
  StageData stage = planned(run, number);
  if (const auto name = text_in(given, "stage"); !name.empty()) stage.name = name;
  given.at("in").get_to(stage.in);
  given.at("out").get_to(stage.out);
  given.at("dropped").get_to(stage.dropped);
  given.at("counts").get_to(stage.counts);
  for (const auto& [reason, count] : stage.dropped) stage.left_out += count;
  if (given.contains("findings") && given["findings"].is_object()) stage.findings = given["findings"];
  return stage;
}

/// Calls `visit` with each line that is JSON, until it returns false. Lines that are none are a problem of the run.
template <class Visit>
void each_record(RunData& run, const std::string& name, size_t lines, Visit visit) {
  const fs::path file = run.folder / "stages" / name;
  std::ifstream in(file);
  size_t number = 0, bytes = 0;
  for (std::string line; number < lines && bytes < most_bytes && std::getline(in, line);) {
    ++number, bytes += line.size();
    const json record = json::parse(line, nullptr, false);
    if (record.is_discarded()) {
      run.problems.push_back(in.eof() ? fmt::format("stages/{}: ends within line {}", name, number)
                                      : fmt::format("stages/{}: line {} is no JSON", name, number));
      return;
    }
    if (!visit(record)) return;
  }
}

void count_dropped(RunData& run, StageData& stage) {
  each_record(run, stage.name + ".dropped.jsonl", most_dropped, [&](const json& record) {
    ++stage.dropped[text_in(record, "reason")];
    return true;
  });
}

}  // namespace

void stages_of_rows(RunData& run) {
  const auto *in = run.column("in"), *out = run.column("out"), *dropped = run.column("dropped");
  if (!in || !out || !dropped) return;
  for (size_t i = 0; i < std::min({in->size(), out->size(), dropped->size()}); ++i) {
    StageData stage = planned(run, i);
    stage.in = std::llround((*in)[i]);
    stage.out = std::llround((*out)[i]);
    stage.left_out = std::llround((*dropped)[i]);
    count_dropped(run, stage);
    run.stages.push_back(stage);
  }
}

void load_stages(const json& details, RunData& run) {
  const auto file = (run.folder / "summary.json").string();
  if (!details.is_object() || !details.contains("stages")) throw Error(file, "tells of no stages", "", Exit::data);
  try {
    const json& stages = details["stages"];
    for (size_t i = 0; i < stages.size(); ++i) run.stages.push_back(told(run, i, stages[i]));
  } catch (const json::exception&) {
    throw Error(file, "tells of its stages in a way that can't be understood", "", Exit::data);
  }
}

void load_transcripts(RunData& run) {
  for (size_t i = run.stages.size(); i-- > 1 && run.transcripts.empty();) {
    each_record(run, run.stages[i].name + ".jsonl", most_lines, [&](const json& record) {
      if (!record.is_object() || !record.contains("turns") || !record["turns"].is_array()) return true;
      run.transcripts.push_back(record);
      return run.transcripts.size() < most_transcripts;
    });
    if (!run.transcripts.empty()) run.transcripts_of = run.stages[i].name;
  }
}

}  // namespace compeer::report
