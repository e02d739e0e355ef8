// Loads the stages of data runs and the first of their records.
#include "report/runs/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/json.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t most_dialogues = 24, most_measured = 8;
constexpr size_t most_lines = 2000;        ///< maximum lines read per file to find dialogues
constexpr size_t most_bytes = 32'000'000;  ///< maximum bytes read per file
constexpr size_t most_stages = 1000;
constexpr int64_t most_records = 1'000'000'000'000;
constexpr size_t most_dropped = 1'000'000;  ///< maximum lines read of a file of dropped records

/// Returns the settings of stage `number`; for stage 0 those of the dataset.
json settings_of(const RunData& run, size_t number) {
  const json stages = run.spec.value("stages", json::array());
  json settings;
  if (number == 0) settings = run.spec.value("dataset", json());
  if (number > 0 && stages.is_array() && number <= stages.size()) settings = stages[number - 1];
  return settings.is_object() ? settings : json::object();
}

/// Returns a stage with its name, plugin and settings from the spec.
StageData planned(const RunData& run, size_t number) {
  StageData stage;
  stage.settings = settings_of(run, number);
  const auto plugin = text_in(stage.settings, "plugin"), label = text_in(stage.settings, "label");
  stage.plugin = number == 0 ? "" : plugin;
  stage.name = fmt::format("{:02}-{}", number, label.empty() ? plugin : label);
  return stage;
}

/// Returns a checked number of records, small enough that sums of thousands fit into 64 bits.
int64_t records_in(const json& count) {
  const auto records = get_integer<int64_t>(count);
  if (records < 0 || records > most_records)
    throw Error("", fmt::format("contains an impossible number of records: {}", records), "", Exit::data);
  return records;
}

int64_t records_in(double count) { return count >= 0 && count <= most_records ? std::llround(count) : 0; }

/// Returns the name, which is the beginning of file names. Throws if it could lead to files outside the folder.
std::string checked_name(const std::string& name) {
  if (name.find('/') != name.npos || name.find('\0') != name.npos)
    throw Error("", fmt::format("contains the name of a stage '{}', which can't be part of a file name", name), "",
                Exit::data);
  return name;
}

StageData parsed_stage(const RunData& run, size_t number, const json& given) {
  StageData stage = planned(run, number);
  if (const auto name = text_in(given, "stage"); !name.empty()) stage.name = checked_name(name);
  stage.in = records_in(given.at("in"));
  stage.out = records_in(given.at("out"));
  for (const auto& [reason, count] : given.at("dropped").items()) stage.dropped[reason] = records_in(count);
  given.at("counts").get_to(stage.counts);
  for (const auto& [reason, count] : stage.dropped) stage.left_out += count;
  if (given.contains("findings") && given["findings"].is_object()) stage.findings = given["findings"];
  return stage;
}

/// Calls `visit` with each line that is valid JSON, until it returns false. An invalid line becomes a problem of the
/// run, unless it is an incomplete last line, which `check_stage_files` reports.
template <class Visit>
void each_record(RunData& run, const std::string& name, size_t lines, Visit visit) {
  const fs::path file = run.folder / "stages" / name;
  std::error_code code;
  if (!fs::is_regular_file(file, code)) return;
  std::ifstream in = open_to_read(file);
  size_t number = 0, bytes = 0;
  for (std::string line; number < lines && bytes < most_bytes && std::getline(in, line);) {
    ++number, bytes += line.size();
    const json record = parse_json(line);
    if (record.is_discarded()) {
      if (!in.eof()) run.problems.push_back(fmt::format("stages/{}: line {} is not JSON", name, number));
      return;
    }
    if (!visit(record)) return;
  }
  check_read(in, file);
}

void count_dropped(RunData& run, StageData& stage) {
  each_record(run, stage.name + ".dropped.jsonl", most_dropped, [&](const json& record) {
    ++stage.dropped[text_in(record, "reason")];
    return true;
  });
}

/// Number of complete lines, whether the last line is incomplete (`cut`), and whether the whole file was read (`all`).
struct Lines {
  int64_t whole = 0;
  bool cut = false, all = true;
};
Lines lines_of(const fs::path& file, uint64_t bytes) {
  Lines lines;
  std::ifstream in = open_to_read(file);
  std::vector<char> block(size_t{1} << 16);
  uint64_t seen = 0;
  char last = '\n';
  while (seen < bytes && (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)) {
    const auto end = block.begin() + in.gcount();
    lines.whole += std::count(block.begin(), end, '\n');
    last = *(end - 1);
    seen += static_cast<uint64_t>(in.gcount());
  }
  check_read(in, file);
  lines.all = in.eof();
  lines.cut = lines.all && last != '\n';
  return lines;
}

json list_in(const json& record, const char* key) {
  return record.is_object() && record.contains(key) && record[key].is_array() ? record[key] : json::array();
}

/// Returns the turns of a dialogue, made from `history` if there are none. Adds numbers that only `history` has for a
/// turn, such as scores.
json turns_of(const json& record) {
  json turns = list_in(record, "turns");
  const json history = list_in(record, "history");
  if (turns.empty()) {
    for (const json& said : history) {
      if (said.is_object() && said.contains("content"))
        turns.push_back({{"role", text_in(said, "role")}, {"text", text_in(said, "content")}});
    }
  }
  for (size_t i = 0; i < turns.size() && history.size() == turns.size(); ++i) {
    if (!turns[i].is_object() || !history[i].is_object()) continue;
    for (const auto& [name, value] : history[i].items()) {
      if (value.is_number() && !turns[i].contains(name)) turns[i][name] = value;
    }
  }
  return turns;
}

}  // namespace

std::string file_of(const StageData& stage) { return fmt::format("stages/{}.jsonl", stage.name); }

std::string file_problem(const fs::path& folder, const StageData& stage, uint64_t bytes) {
  const auto name = file_of(stage);
  std::error_code code;
  if (!fs::is_regular_file(folder / name, code)) return name + ": missing";
  const auto lines = lines_of(folder / name, bytes);
  if (lines.cut) return fmt::format("{}: ends within line {}", name, lines.whole + 1);
  const bool as_told = !lines.all || lines.whole == stage.out;
  return as_told ? "" : fmt::format("{}: contains {} of {} records", name, lines.whole, stage.out);
}

void check_stage_files(RunData& run) {
  for (const auto& stage : run.stages) {
    if (auto problem = file_problem(run.folder, stage, most_bytes); !problem.empty())
      run.problems.push_back(std::move(problem));
  }
}

void stages_of_rows(RunData& run) {
  const auto *in = run.column("in"), *out = run.column("out"), *dropped = run.column("dropped");
  if (!in || !out || !dropped) return;
  for (size_t i = 0; i < std::min({in->size(), out->size(), dropped->size(), most_stages}); ++i) {
    StageData stage = planned(run, i);
    stage.in = records_in((*in)[i]);
    stage.out = records_in((*out)[i]);
    stage.left_out = records_in((*dropped)[i]);
    count_dropped(run, stage);
    run.stages.push_back(stage);
  }
}

void load_stages(const json& details, RunData& run) {
  const auto file = (run.folder / "summary.json").string();
  if (!details.is_object() || !details.contains("stages")) throw Error(file, "contains no stages", "", Exit::data);
  try {
    const json& given = details["stages"];
    std::vector<StageData> stages;
    for (size_t i = 0; i < std::min(given.size(), most_stages); ++i) stages.push_back(parsed_stage(run, i, given[i]));
    run.stages = std::move(stages);
  } catch (const json::exception&) {
    throw Error(file, "has an invalid 'details.stages'", "", Exit::data);
  }
}

void load_records(RunData& run) {
  bool found = false;  // a later stage has dialogues: of this one, only those that it judged are kept
  for (size_t i = run.stages.size(); i-- > 1;) {
    auto& stage = run.stages[i];
    if (found && !measures(stage)) continue;
    std::vector<json> dialogues, others;
    each_record(run, stage.name + ".jsonl", found ? most_measured : most_lines, [&](const json& record) {
      if (json turns = turns_of(record); !turns.empty()) {
        dialogues.push_back(record);
        dialogues.back()["turns"] = std::move(turns);
      } else if (record.is_object() && others.size() < most_measured) {
        others.push_back(record);
      }
      return dialogues.size() < most_dialogues;
    });
    if (dialogues.empty() && measures(stage)) stage.records = std::move(others);
    if (dialogues.empty() || (found && !dialogues[0].contains("judged"))) continue;
    stage.records = std::move(dialogues), found = true;
  }
}

}  // namespace compeer::report
