// compeer log verify: checks that all files of a run are intact and consistent with each other.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "app/log/log.h"
#include "base/files.h"
#include "base/json.h"
#include "record/checkpoint.h"
#include "record/in_child.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/run_folder.h"
#include "record/status.h"
#include "report/runs/load.h"
#include "spec/history.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Path = std::filesystem::path;

struct LogCheck {
  std::string what;
  bool good;
  std::string detail;      ///< the result, or the problem
  Exit exit = Exit::data;  ///< exit code of a failed check; 1: I/O error
};

[[noreturn]] void bad(const std::string& what) { throw Error("", what, "", Exit::data); }

// check_here and check_in_child run `work`, which returns the result as text or throws Error.
template <class Work>
LogCheck check_here(const std::string& what, Work work) {
  try {
    return {what, true, work()};
  } catch (const Error& error) {
    return {what, false, error.problem(), error.exit()};
  } catch (const std::exception& error) {
    return {what, false, error.what()};
  }
}

LogCheck check_in_child(const std::string& what, double seconds, const std::function<std::string()>& work) {
  const record::ChildResult result = record::in_child(work, seconds);
  return {what, result.problem.empty(), result.problem.empty() ? result.output : result.problem, result.exit};
}

// True if run.h5 and the summary both record the end of the run. A power failure may lose the summary.
bool is_over(const Path& folder, const record::RunReader& run) {
  return run.status() == "finished" && record::has_finished(folder);
}

// Returns the number of steps that must be complete: all rows if the run has ended, otherwise those up to the newest
// checkpoint. Later steps may be incomplete: a power failure may lose anything after the checkpoint, and a resumed run
// that is killed may have truncated its rollouts (per rank) but not yet its rows. A killed run may also have rollouts
// of a further step, not from all ranks.
uint64_t whole_steps(const Path& folder, uint64_t rows) {
  if (rows == 0 || is_over(folder, record::RunReader(folder / "run.h5"))) return rows;
  const auto newest = record::newest_good(folder);
  return newest ? std::min(rows, newest->step) : 0;
}

// Checks all steps. If that fails and no process is writing, checks only those that must be complete.
std::string check_whole_steps(const Path& folder, const std::function<std::string(uint64_t most)>& check) {
  try {
    return check(UINT64_MAX);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure || !std::filesystem::exists(folder / "run.h5")) throw;  // I/O error, or no run.h5
    const record::RunReader run(folder / "run.h5");
    if (run.live() || is_over(folder, run)) throw;
    const auto whole = whole_steps(folder, run.rows());
    if (whole == 0)
      return fmt::format("damaged, as by a power failure ({}): compeer resume starts over", error.problem());
    return fmt::format("{}; later steps are damaged, as by a power failure ({}): compeer resume repeats them",
                       check(whole), error.problem());
  }
}

std::string check_rows(const Path& folder, const json& spec_file, uint64_t most) {
  const record::RunReader run(folder / "run.h5", most);
  for (const auto& name : run.columns()) {
    const auto values = run.column(name);
    if (name == "step" && !std::is_sorted(values.begin(), values.end(), std::less_equal<>()))
      bad("column 'step' does not increase");
  }
  run.times();
  if (const auto damaged = run.damaged_rows(); !damaged.empty())
    bad(fmt::format("row {} differs from what was written", damaged[0] + 1));
  const auto events = run.events();
  const json own_spec = parse_json(run.spec_text());
  if (!own_spec.is_object() || !own_spec.contains("sha256")) bad("contains no spec");
  if (spec_file.is_object() && !spec::is_spec_of_run(spec_file, own_spec["sha256"]))
    bad("was written for another spec than spec.json");
  return fmt::format(
      "{} rows, {} columns, {} events, {}", run.rows(), run.columns().size(), events.size(),
      run.status() == "running" ? (run.live() ? "running" : "stopped before it finished") : run.status());
}

// Checks that a step has `batch` groups of `group_size` different completions each; 0: unknown, any number.
void check_step(uint64_t step, const std::vector<record::RolloutRow>& rows, uint64_t group_size, uint64_t batch) {
  std::map<uint64_t, std::set<uint64_t>> groups;
  for (const auto& row : rows)
    if (!groups[row.prompt].insert(row.completion).second)
      bad(fmt::format("step {} has completion {} of prompt {} twice", step, row.completion, row.prompt));
  for (const auto& [prompt, completions] : groups)
    if (group_size && completions.size() != group_size)
      bad(fmt::format("step {} has {} of the {} completions of prompt {}", step, completions.size(), group_size,
                      prompt));
  if (batch && groups.size() != batch) bad(fmt::format("step {} has {} of {} prompts", step, groups.size(), batch));
}

uint64_t setting(const json& spec_file, const char* section, const char* key) {
  const auto pointer = json::json_pointer(fmt::format("/spec/{}/{}", section, key));
  return spec_file.contains(pointer) && spec_file[pointer].is_number() ? spec_file[pointer].get<uint64_t>() : 0;
}

std::string check_rollouts(const Path& folder, const json& spec_file, uint64_t most) {
  const uint64_t rows = std::filesystem::exists(folder / "run.h5") ? record::RunReader(folder / "run.h5").rows() : 0;
  const uint64_t whole = whole_steps(folder, rows);
  const uint64_t batch = setting(spec_file, "grpo", "batch");
  const uint64_t group_size =
      std::max(setting(spec_file, "grpo", "group_size"), setting(spec_file, "evaluate", "group_size"));
  const record::RolloutReader rollouts(folder, most);
  const auto steps = rollouts.steps();
  uint64_t completions = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] != i + 1) bad(fmt::format("step {} is missing", i + 1));
    const auto found = rollouts.read(steps[i]);
    completions += found.size();
    check_step(steps[i], found, steps[i] > whole ? 0 : group_size, steps[i] > whole ? 0 : batch);
  }
  if (steps.size() < whole) bad(fmt::format("has {} of {} steps", steps.size(), rows));
  if (steps.size() > rows + 1) bad(fmt::format("has {} steps, but run.h5 has {} rows", steps.size(), rows));
  return fmt::format("{} steps, {} completions", steps.size(), completions);
}

std::string check_checkpoint(const Path& folder) {
  if (const auto problem = record::damage(folder); !problem.empty()) bad(problem);
  return "unchanged";
}

std::string check_link(const Path& folder, const std::string& name) {
  const auto checkpoint = record::pointed_at(folder, name);
  if (!std::filesystem::exists(checkpoint))
    bad("points to " + checkpoint.filename().string() + ", which does not exist");
  return checkpoint.filename().string();
}

// Checks that the checkpoints of a training run match run.h5. A row is written before the checkpoint of its step; a run
// that finished or was preempted has a checkpoint of its last row.
std::string check_checkpoints(const Path& folder) {
  const auto folders = record::checkpoint_folders(folder);
  const record::RunReader run(folder / "run.h5");
  const uint64_t rows = run.rows(), newest = folders.empty() ? 0 : *record::step_of(folders[0]);
  if (newest > rows) bad(fmt::format("reach step {}, but run.h5 has {} rows", newest, rows));
  if (run.status() != "running" && newest < rows)
    bad(fmt::format("reach {}, but the run was {} with {} rows",
                    newest > 0 ? fmt::format("step {}", newest) : "no step", run.status(), rows));
  if (run.status() != "running" && rows > 0 && record::pointed_at(folder) != folders[0])
    bad(fmt::format("'last' does not point to {}", folders[0].filename().string()));
  return folders.empty() ? "none" : fmt::format("{}, up to step {}", folders.size(), newest);
}

bool trains(const json& spec_file) {
  const auto task = json::json_pointer("/spec/task");
  return spec_file.contains(task) && (spec_file[task] == "sft" || spec_file[task] == "grpo");
}

void check_lines(const Path& folder, const std::string& name) {
  std::ifstream in = open_to_read(folder / name);
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (parse_json(line).is_discarded()) bad(fmt::format("{}: line {} is not JSON", name, number));
  }
  check_read(in, folder / name);
}

// Checks the files of the stages that the report finds, also for a run that has not ended.
std::string check_stages(const Path& folder) {
  const auto run = report::load_run(folder);
  int64_t records = 0;
  for (const auto& stage : run.stages) {
    if (const auto problem = report::file_problem(folder, stage, UINT64_MAX); !problem.empty()) bad(problem);
    check_lines(folder, report::file_of(stage));
    records += stage.out;
  }
  return run.stages.empty() ? "none" : fmt::format("{} stages, {} records", run.stages.size(), records);
}

std::string check_summary(const Path& folder) {
  if (const auto summary = record::read_summary(folder)) return fmt::format("{} figures", summary->metrics.size());
  const auto status = record::read_status(folder);
  if (status && status->state == "finished") bad("is missing, though the run finished");
  return "none";
}

std::string check_status(const Path& folder) {
  const auto failure = record::read_failure(folder);
  const auto status = record::read_status(folder);
  if (failure) return "failed: " + failure->what;
  return status ? fmt::format("{}, step {} of {}", status->state, status->step, status->steps) : "none";
}

std::vector<LogCheck> check_all(const Path& folder, double seconds) {
  std::vector<LogCheck> checks;
  json spec_file;
  checks.push_back(check_here("spec.json", [&] {
    const auto text = read_plain_file(folder / "spec.json", 16 << 20);
    const auto hash = spec::Spec::from_file_text(text, "spec.json").sha256();
    spec_file = json::parse(text);
    return "sha256 " + hash;
  }));
  if (std::filesystem::exists(folder / "run.h5"))
    checks.push_back(check_in_child("run.h5", seconds, [&] {
      return check_whole_steps(folder, [&](uint64_t most) { return check_rows(folder, spec_file, most); });
    }));
  else
    checks.push_back({"run.h5", false, "is missing"});
  checks.push_back(check_in_child("rollouts", seconds, [&]() -> std::string {
    if (!std::filesystem::exists(folder / "rollouts")) return "none";
    return check_whole_steps(folder, [&](uint64_t most) { return check_rollouts(folder, spec_file, most); });
  }));
  checks.push_back(check_in_child("stages", seconds, [&] { return check_stages(folder); }));
  if (trains(spec_file) && std::filesystem::exists(folder / "run.h5"))
    checks.push_back(check_in_child("checkpoints", seconds, [&] { return check_checkpoints(folder); }));
  for (const auto& checkpoint : record::checkpoint_folders(folder))
    checks.push_back(
        check_here("checkpoints/" + checkpoint.filename().string(), [&] { return check_checkpoint(checkpoint); }));
  for (const std::string name : {"last", "best"}) {
    if (!record::pointed_at(folder, name).empty())
      checks.push_back(check_here("checkpoints/" + name, [&] { return check_link(folder, name); }));
  }
  checks.push_back(check_here("summary.json", [&] { return check_summary(folder); }));
  checks.push_back(check_here("status", [&] { return check_status(folder); }));
  return checks;
}

void print_checks_json(const Path& folder, const std::vector<LogCheck>& checks, bool good, std::ostream& out) {
  auto list = ordered_json::array();
  for (const auto& check : checks)
    list.push_back({{"what", check.what}, {"good", check.good}, {"detail", check.detail}});
  const ordered_json all = {{"run", folder.string()}, {"good", good}, {"checks", list}};
  out << all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace

int log_verify(const LogVerify& options, std::ostream& out) {
  const Path folder = find_run(options.run);
  const auto checks = check_all(folder, options.timeout_seconds);
  const bool good = std::all_of(checks.begin(), checks.end(), [](const LogCheck& check) { return check.good; });
  const bool failed = std::any_of(checks.begin(), checks.end(),
                                  [](const LogCheck& check) { return !check.good && check.exit == Exit::failure; });
  if (options.json) {
    print_checks_json(folder, checks, good, out);
  } else {
    for (const auto& check : checks)
      out << fmt::format("{:<4}  {:<24}  {}\n", check.good ? "good" : "BAD", check.what,
                         spec::printable(check.detail, 500));
  }
  return static_cast<int>(good ? Exit::ok : failed ? Exit::failure : Exit::data);
}

}  // namespace compeer::app
