// Finds run folders and loads them, whatever state they are in.
#include "report/runs/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "record/run_file.h"
#include "record/run_folder.h"
#include "record/status.h"
#include "report/runs/metrics.h"
#include "spec/dotted.h"
#include "spec/history.h"
#include "spec/renamed.h"
#include "spec/text.h"

namespace compeer::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Number of rows over which a training run without a summary is averaged.
constexpr size_t last_rows = 20;

constexpr uint64_t longest_spec = uint64_t{64} << 20;
constexpr size_t most_used = 64;

/// Runs `read`; an error in the data becomes a line in `problems`, an I/O error is rethrown.
template <class Read>
void attempt(RunData& run, const char* what, Read read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    run.problems.push_back(fmt::format("{}: {}", what, error.problem()));
  } catch (const std::exception& error) {
    run.problems.push_back(fmt::format("{}: {}", what, error.what()));
  }
}

int64_t count(const json& object, const char* key) {
  return object.contains(key) && object[key].is_number_integer() ? object[key].get<int64_t>() : 0;
}

/// Adds remarks about records that the run skipped or trimmed, from the details of its summary.json: "split 'train': 96
/// records, 3 too long and trimmed".
void remark_records(const json& details, RunData& run) {
  if (!details.is_object() || !details.contains("data") || !details["data"].is_object()) return;
  const json& data = details["data"];
  if (const int64_t n = count(data, "unreadable"); n > 0)
    run.remarks.push_back(fmt::format("data set: {} unreadable records", n));
  if (!data.contains("splits") || !data["splits"].is_array()) return;
  for (const json& split : data["splits"]) {
    if (!split.is_object()) continue;
    std::string left_out;
    for (const auto& [key, what] : {std::pair("trimmed", "too long and trimmed"),
                                    {"skipped", "too long and skipped"},
                                    {"unanswered", "without an answer and skipped"}}) {
      if (const int64_t n = count(split, key); n > 0) left_out += fmt::format(", {} {}", n, what);
    }
    if (!left_out.empty())
      run.remarks.push_back(
          fmt::format("split '{}': {} records{}", text_in(split, "split"), count(split, "records"), left_out));
  }
}

void use_spec(const std::string& text, RunData& run) {
  const auto file = parse_json(text);
  if (file.is_discarded()) throw Error("", "is not JSON", "", Exit::data);
  if (!file.is_object() || !file.contains("spec") || !file["spec"].is_object())
    throw Error("", "contains no spec", "", Exit::data);
  run.spec = file["spec"];
  const bool intact = sha256(spec::canonical_json(run.spec)) == text_in(file, "sha256");
  const auto renamed = spec::rename_settings(run.spec);
  if (file.contains("origins") && file["origins"].is_object()) run.origins = file["origins"];
  for (const auto& [before, now] : renamed) {
    if (!run.origins.contains(before)) continue;
    run.origins[now] = run.origins[before];
    run.origins.erase(before);
  }
  if (file.contains("plugins") && file["plugins"].is_array()) run.plugins = file["plugins"];
  if (file.contains("sources") && file["sources"].is_object()) {
    for (const auto& [name, source] : file["sources"].items())
      run.sources[name] = text_in(file["sources"], name.c_str());
  }
  run.sha256 = text_in(file, "sha256");
  run.history = file.value("history", json::array());
  if (const auto name = text_in(run.spec, "name"); !name.empty()) run.name = name;
  run.task = text_in(run.spec, "task");
  if (!intact) throw Error("", "was modified after it was written: SHA-256 mismatch", "", Exit::data);
}

/// Uses the copy of the spec in run.h5 if spec.json can't be trusted.
void use_copy(const std::string& text, RunData& run) {
  const size_t problems = run.problems.size();
  attempt(run, "the spec in run.h5", [&] { use_spec(text, run); });
  if (run.problems.size() == problems) run.problems.front() += "; the copy in run.h5 is shown";
}

void read_rows(RunData& run) {
  const record::RunReader reader(run.folder / "run.h5");
  if (!run.problems.empty()) use_copy(reader.spec_text(), run);
  const auto own = parse_json(reader.spec_text());
  if (own.is_object() &&
      !spec::is_spec_of_run({{"sha256", run.sha256}, {"history", run.history}}, text_in(own, "sha256")))
    run.problems.push_back("run.h5: was written for another spec than spec.json");
  run.recorded = reader.columns();
  for (const auto& name : run.recorded) run.columns[name] = reader.column(name);
  run.software = reader.software();
  std::string end;  // why the run ended before its last step, if it did
  for (const auto& event : reader.events()) {
    if (event.text.starts_with(record::early_end)) end = event.text;
    if (event.level != "info")
      run.warnings.push_back(fmt::format("step {:.0f}, {}: {}", event.step, event.level, event.text));
  }
  if (!end.empty()) run.remarks.push_back(end);
  const auto status = reader.status();
  run.state = status == "running" && !reader.live() ? "stopped" : status;
}

void read_state(RunData& run) {
  if (const auto status = record::read_status(run.folder)) {
    // A killed process leaves the state "running", or "starting" if it was just resumed; run.h5 shows whether a process
    // is still writing.
    const bool ended = !run.state.empty() && run.state != "running";
    const bool going_on = status->state == "running" || status->state == "starting";
    if (!(ended && going_on)) run.state = status->state;
    run.steps_done = static_cast<int64_t>(status->step);
    run.steps_planned = static_cast<int64_t>(status->steps);
    run.started = status->started;
    run.elapsed = status->elapsed;
    run.ranks = status->ranks;
  } else {
    run.problems.push_back("status.json: missing");
  }
  run.failure = record::read_failure(run.folder);
  if (run.failure) {
    run.host = run.failure->host;
    if (!run.finished() && run.state != "cancelled") run.state = "failed";
  }
}

void read_estimates(RunData& run) {
  const auto summary = record::read_summary(run.folder);
  if (!summary && run.finished()) throw Error("", "missing, though the run finished", "", Exit::data);
  if (!summary) return;
  if (run.task.empty()) run.task = summary->task;
  if (run.task == "data") load_stages(summary->details, run);
  for (const auto& [metric, e] : summary->metrics) run.summary[metric] = e;
  remark_records(summary->details, run);
}

/// Summarizes an unfinished run by plain means, without intervals.
void summarize_rows(RunData& run) {
  const size_t keep = run.task == "evaluate" ? SIZE_MAX : last_rows;
  for (const auto& [metric, values] : run.columns) {
    Interval e;
    double sum = 0;
    for (size_t i = values.size() - std::min(keep, values.size()); i < values.size(); ++i) {
      if (std::isfinite(values[i])) sum += values[i], ++e.n;
    }
    if (e.n > 0) e.mean = sum / static_cast<double>(e.n);
    if (e.n > 0) run.summary[metric] = e;
  }
  summarize_validation(run);
}

using Visit = std::function<void(const std::string&, json&)>;

void visit_texts(json& value, const std::string& path, const Visit& visit) {
  if (value.is_string()) return visit(path, value);
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) visit_texts(value[i], spec::join(path, i), visit);
  } else if (value.is_object()) {
    for (auto& [name, inner] : value.items()) visit_texts(inner, spec::join(path, name), visit);
  }
}

/// Returns the spec of the run in this folder, or null. Paths in specs are relative to the folder in which the run was
/// started, usually the one that contains results/.
json spec_in(const fs::path& folder, const RunData& run) {
  for (const auto& place : {folder, run.folder.parent_path().parent_path() / folder}) {
    std::error_code code;
    if (!fs::is_regular_file(place / "spec.json", code)) continue;
    try {
      auto file = parse_json(read_plain_file(place / "spec.json", longest_spec));
      if (!file.is_object() || !file.contains("spec") || !file["spec"].is_object()) continue;
      spec::rename_settings(file["spec"]);
      return file["spec"];
    } catch (const Error&) {
    }
  }
  return nullptr;
}

void find_used(json spec, RunData& run) {
  each_text(spec, [&](const std::string&, json& text) {
    const auto path = text.get<std::string>();
    if (path.find('/') == path.npos || run.used_specs.count(path) || run.used_specs.size() >= most_used) return;
    if (json found = spec_in(run_folder(path), run); found.is_object()) {
      run.used_specs[path] = found;
      find_used(std::move(found), run);
    }
  });
}

}  // namespace

std::string text_in(const json& table, const char* key) {
  return table.is_object() && table.contains(key) && table[key].is_string() ? table[key].get<std::string>() : "";
}

json RunData::setting(const char* section, const char* key) const {
  if (!spec.is_object() || !spec.contains(section)) return nullptr;
  const auto& table = spec[section];
  return table.is_object() && table.contains(key) ? table[key] : nlohmann::json();
}

bool RunData::greedy() const { return setting("sampling", "greedy") == true; }

std::string RunData::start_model() const {
  const auto path = setting("model", "path");
  return path.is_string() ? path.get<std::string>() : "";
}

size_t RunData::rows() const {
  size_t most = 0;
  for (const auto& [name_of_column, values] : columns) most = std::max(most, values.size());
  return most;
}

const std::vector<double>* RunData::column(const std::string& metric) const {
  const auto found = columns.find(metric);
  return found == columns.end() ? nullptr : &found->second;
}

Interval RunData::estimate(const std::string& metric) const {
  const auto found = summary.find(metric);
  return found == summary.end() ? Interval{} : found->second;
}

fs::path run_folder(const fs::path& path) {
  for (fs::path inside = path; inside.has_relative_path(); inside = inside.parent_path()) {
    if (inside.filename() == "checkpoints" || inside.filename() == "stages") return inside.parent_path();
  }
  return path;
}

void each_text(json& spec, const Visit& visit) { visit_texts(spec, "", visit); }

bool is_run(const fs::path& folder) {
  std::error_code code;
  for (const char* file : {"spec.json", "run.h5", "status.json"}) {
    if (fs::is_regular_file(folder / file, code)) return true;
  }
  return false;
}

std::vector<fs::path> find_runs(const std::vector<fs::path>& paths) {
  std::vector<fs::path> runs;
  std::set<fs::path> seen;
  const auto add = [&](const fs::path& folder) {
    if (seen.insert(fs::weakly_canonical(folder)).second) runs.push_back(folder);
  };
  for (const auto& path : paths) {
    std::error_code code;
    if (!fs::is_directory(path, code))
      throw Error(path.string(), "does not exist", "give run folders, or a folder of runs such as results", Exit::data);
    if (is_run(path)) {
      add(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : entries_of(path)) {
      const bool counts = entry.is_directory(code) && is_run(entry.path()) && !record::is_renamed_aside(entry.path());
      if (counts) inside.push_back(entry.path());
    }
    std::sort(inside.begin(), inside.end());
    for (const auto& folder : inside) add(folder);
    if (inside.empty())
      throw Error(path.string(), "no run in this folder",
                  "name the folder of a run, which contains spec.json and run.h5", Exit::data);
  }
  return runs;
}

RunData load_run(const fs::path& folder) {
  RunData run;
  run.folder = fs::weakly_canonical(folder / "");  // so that "." has a name, too
  if (!run.folder.has_filename()) run.folder = run.folder.parent_path();
  run.name = run.folder.filename().string();
  attempt(run, "spec.json", [&] { use_spec(read_plain_file(run.folder / "spec.json", longest_spec), run); });
  attempt(run, "run.h5", [&] { read_rows(run); });
  attempt(run, "the history in spec.json", [&] {
    for (const auto& change : run.history) run.remarks.push_back(spec::change_text(change));
  });
  if (run.spec.is_object()) find_used(run.spec, run);
  attempt(run, "status.json", [&] { read_state(run); });
  attempt(run, "summary.json", [&] { read_estimates(run); });
  attempt(run, "rollouts", [&] { load_samples(run.folder, run); });
  if (run.task == "data" && run.stages.empty()) stages_of_rows(run);
  if (run.task == "data") check_stage_files(run), load_records(run);
  if (run.summary.empty() && run.task != "data") summarize_rows(run);
  if (run.steps_done == 0) run.steps_done = static_cast<int64_t>(run.rows());
  return run;
}

}  // namespace compeer::report
