// compeer run and compeer resume: launch runs and print their results.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/log/figures.h"
#include "app/log/log.h"
#include "base/error.h"
#include "launch/launch.h"
#include "launch/preflight.h"
#include "launch/run_folder.h"
#include "launch/script_actions.h"
#include "lua/sandbox.h"
#include "plugin/search.h"
#include "record/in_child.h"
#include "record/summary_text.h"
#include "report/report.h"
#include "script/module.h"
#include "spec/core_schema.h"
#include "spec/paths.h"
#include "spec/runs.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::app {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr double seconds_for_report = 300;

struct RunOptions {
  std::string file;
  std::vector<std::string> sets;
  int64_t ranks = 0;  // 0: the spec's
  std::string results;
  bool fresh = false, dry_run = false, quick = false, quiet = false, allow_changed = false;

  // Results of --quick go to a folder of their own, so that they do not replace complete ones.
  launch::LaunchOptions launch_options() const {
    return {!results.empty() ? results : quick ? "results/quick" : "results", 1, fresh, quiet, allow_changed};
  }
};

bool is_evaluation(const json& stage) { return stage.at("findings").contains("columns"); }

// Returns the summary of a data run without the figures in its tables: counts of stages, and findings of evaluations.
record::Summary other_findings(record::Summary summary) {
  for (const json& stage : summary.details.at("stages")) {
    const auto stem = stage.at("stage").get<std::string>() + "/";
    for (const char* name : {"in", "out", "dropped"}) summary.metrics.erase(stem + name);
    for (const auto& [name, value] : stage.at("counts").items())
      summary.metrics.erase(fmt::format("{}count/{}", stem, name));
    if (is_evaluation(stage))
      std::erase_if(summary.metrics, [&](const auto& one) { return one.first.starts_with(stem); });
  }
  return summary;
}

void print_figures(const record::Summary& summary, const fs::path& folder) {
  if (summary.metrics.empty()) return;
  const auto figures = figures_of(summary.metrics);
  std::cout << figures_text(figures);
  std::vector<std::string> names;
  for (const auto& figure : figures) names.push_back(figure.name);
  if (const size_t more = figures.size() - key_figures(names).size(); more > 0)
    std::cout << fmt::format("{} more: compeer log show {} --all\n", more, folder.string());
}

void print_evaluations(const json& stages) {
  for (const json& stage : stages) {
    if (is_evaluation(stage))
      std::cout << '\n' << stage.at("stage").get<std::string>() << '\n' << record::findings_text(stage.at("findings"));
  }
}

void print_metrics(const launch::Launched& done) {
  const auto stages = record::stages_text(done.summary.details);
  std::cout << stages;
  const auto rest = stages.empty() ? done.summary : other_findings(done.summary);
  if (!stages.empty()) print_evaluations(done.summary.details.at("stages"));
  print_figures(rest, done.folder);
}

// Writes the report into the run's folder. A failure is only a note: the run itself has finished.
void write_report(const fs::path& folder) {
  const auto page = folder / "report.html";
  const auto made =
      record::in_child([&] { return report::write_report({folder}, page, {}), std::string(); }, seconds_for_report);
  if (!made.problem.empty())
    std::cerr << fmt::format("compeer: note: the report could not be written: {}\n",
                             spec::printable(made.problem, 500));
}

// Prints the paths of report, log and checkpoints.
void print_places(const fs::path& folder) {
  constexpr std::pair<const char*, const char*> places[] = {{"report", "report.html"},
                                                            {"log", "log.txt"},
                                                            {"checkpoint", "checkpoints/last"},
                                                            {"the best", "checkpoints/best"}};
  std::cout << '\n';
  for (const auto& [what, name] : places) {
    const auto place = folder / name;
    std::error_code code;
    if (fs::exists(place, code)) std::cout << fmt::format("{:<10}  {}\n", what, place.string());
  }
}

int print_outcome(const launch::Launched& done) {
  if (done.error) throw *done.error;
  try {
    print_metrics(done);
  } catch (const json::exception& error) {  // the summary was written by another version, or edited
    throw Error((done.folder / "summary.json").string(), std::string("is invalid: ") + error.what(),
                "repeat the run with --fresh", Exit::data);
  }
  write_report(done.folder);
  print_places(done.folder);
  return 0;
}

spec::RunInput as_input(const spec::Spec& spec, const fs::path& folder) {
  return {spec.values.at("name"), folder, spec.values, {}, true};
}

// Runs that an experiment names and that have not finished, as they will be made, and the experiment itself, the last.
std::vector<spec::Spec> plan_with_inputs(const spec::Draft& draft, const launch::LaunchOptions& how, bool tells) {
  std::vector<spec::Spec> all;
  std::set<fs::path> folders;
  const auto plan = [&](const spec::Spec& input, const std::string& why) {
    if (tells) std::cerr << fmt::format("compeer: note: {}\n", why);
    const auto folder = launch::RunFolder::look(input, how.results, folders).first;
    folders.insert(folder);
    all.push_back(input);
    return as_input(input, folder);
  };
  const auto planned = [&](const std::string& path) {
    const auto inside = [&](const fs::path& folder) {
      return path == folder.string() || path.starts_with(folder.string() + "/");
    };
    return std::any_of(folders.begin(), folders.end(), inside);
  };
  const auto note = [&](const std::string& text) {
    if (!how.quiet) std::cerr << fmt::format("compeer: note: {}\n", text);
  };
  all.push_back(spec::resolve_after_inputs(draft, plugin::Finder(), {how.results, nullptr, note}, plan, planned));
  std::vector<spec::Spec> unfinished;
  for (const auto& spec : all) {
    if (launch::RunFolder::look(spec, how.results).second != launch::RunFolder::State::finished)
      unfinished.push_back(spec);
  }
  launch::PluginTrial().columns(unfinished);
  return all;
}

void print_plan(const std::vector<spec::Spec>& all, const launch::LaunchOptions& how) {
  launch::Preview preview;
  for (const auto& spec : all) {
    auto own = how;
    own.fresh = how.fresh && &spec == &all.back();
    std::cout << launch::plan(spec, own) << '\n';
    const auto [folder, state] = launch::RunFolder::look(spec, how.results);
    if (own.fresh || state != launch::RunFolder::State::finished) preview.add(spec, folder.string());
  }
  std::cout << preview.text();
}

int run_spec(const RunOptions& options) {
  if (options.quick)
    throw Error("--quick", "is only for scripts", "use --set to make an experiment smaller", Exit::usage);
  auto draft = spec::load_draft(options.file, options.sets);
  if (options.ranks > 0) draft = spec::with(draft, {{"ranks", options.ranks, "--ranks"}});
  const auto how = options.launch_options();
  const auto all = plan_with_inputs(draft, how, options.dry_run);
  if (options.dry_run) return print_plan(all, how), 0;
  if (all.size() == 1) return print_outcome(launch::launch(all, how).at(0));
  const auto make = [&](const spec::Spec& input, const std::string& why) {
    if (!how.quiet) std::cerr << fmt::format("compeer: note: {}\n", why);
    auto continuing = how;
    continuing.fresh = false;
    const auto done = launch::launch({input}, continuing).at(0);
    if (done.error) throw *done.error;
    return as_input(input, done.folder);
  };
  return print_outcome(
      launch::launch({spec::resolve_after_inputs(draft, plugin::Finder(), {how.results}, make)}, how).at(0));
}

void evaluate(const std::string& file, launch::ScriptOptions options) {
  const auto found = spec::locate(file);
  if (!found) throw Error(file, "does not exist", spec::nearest_files(file));
  lua::Sandbox::Setup setup;
  if (options.rehearsal) setup.print = [](std::string_view) {};
  lua::Sandbox sandbox(setup);
  script::add_compeer(sandbox, launch::make_script_actions(std::move(options)));
  sandbox.run_file(*found);
}

// A script continues when a run of a list fails; this throws an Error at its end, so that the exit code shows it.
void refuse_failed(const std::vector<script::RunResult>& runs) {
  if (runs.empty()) return;
  const auto exit = runs[0].error->exit();
  const bool same = std::all_of(runs.begin(), runs.end(), [&](const auto& run) { return run.error->exit() == exit; });
  throw Error("",
              fmt::format("the script ended, but {} failed:\n  {}", runs.size() == 1 ? "a run" : "runs",
                          fmt::join(script::failures(runs), "\n  ")),
              "run the same command again: it repeats these runs and reuses the finished ones",
              same ? exit : Exit::failure);
}

// Prints which runs of a script were not started because it ended early.
void tell_waiting(std::vector<std::string> names) {
  constexpr size_t most = 8;
  if (names.empty()) return;
  const auto more = names.size() > most ? fmt::format(" and {} more", names.size() - most) : "";
  names.resize(std::min(names.size(), most));
  std::cerr << fmt::format("compeer: note: not started: {}{}\n", fmt::join(names, ", "), more);
}

int run_script(const RunOptions& options) {
  launch::ScriptOptions script{options.launch_options(), {}, options.quick, options.dry_run};
  for (const auto& set : options.sets) script.changes.push_back(spec::parse_set(set));
  if (options.ranks > 0) script.changes.push_back({"ranks", options.ranks, "--ranks"});
  // The rehearsal finds mistakes in the script that would otherwise show only after the first run, hours later.
  auto rehearsal = script;
  rehearsal.rehearsal = true;
  if (options.dry_run) script.preview = std::make_shared<launch::Preview>();
  if (!options.dry_run) evaluate(options.file, rehearsal);
  try {
    evaluate(options.file, script);
  } catch (const Error&) {
    if (!options.dry_run) tell_waiting(*script.waiting);
    throw;
  }
  if (options.dry_run) fmt::print("{}", script.preview->text());
  refuse_failed(*script.failed_runs);
  return 0;
}

int run_file(const RunOptions& options) {
  return fs::path(options.file).extension() == ".lua" ? run_script(options) : run_spec(options);
}

int resume_run(const RunOptions& options) {
  const auto folder = find_run(options.file);
  std::vector<spec::Change> changes;
  for (const auto& set : options.sets) changes.push_back(spec::parse_set(set));
  const auto done = launch::resume(folder, options.launch_options(), plugin::Finder(), changes);
  if (done.reused && options.quiet) std::cerr << fmt::format("{}: finished before\n", done.name);
  return print_outcome(done);
}

void add_changed(CLI::App& command, RunOptions& options) {
  command.add_flag("--changed", options.allow_changed,
                   "continue a run although plugins or inputs have changed since it started; spec.json and the log "
                   "record the change");
}

}  // namespace

void add_run(CLI::App& command, Action& action) {
  auto options = std::make_shared<RunOptions>();
  command.add_option("FILE", options->file, "a Lua script, a TOML file, a spec.json or the folder of a run")
      ->required();
  command
      .add_option("--set", options->sets,
                  "change a value: --set grpo.lr=1e-4 (repeatable); KEY=null unsets it; in a script, of every "
                  "experiment it loads or makes")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--ranks", options->ranks, "number of ranks (MPI processes) of a run")
      ->type_name("N")
      ->check(CLI::Range(1, spec::most_ranks));
  command.add_option("--results", options->results, "the folder in which the folders of runs are created")
      ->type_name("DIR")
      ->default_str("results; with --quick results/quick");
  command.add_flag("--quick", options->quick, "run a small version of a script that has one, to see that it works");
  command.add_flag("--fresh", options->fresh, "start over; existing folders of these runs are renamed to NAME~1");
  add_changed(command, *options);
  command.add_flag("--dry-run", options->dry_run,
                   "check everything and print what would run, its records and memory; start nothing");
  command.add_flag("-q,--quiet", options->quiet, "print no progress");
  command.callback([options, &action] { action = [options] { return run_file(*options); }; });
}

void add_resume(CLI::App& command, Action& action) {
  auto options = std::make_shared<RunOptions>();
  command.add_option("RUN_DIR", options->file, "the run's folder, or its name in results/")->required();
  command
      .add_option(
          "--set", options->sets,
          "train for more steps, even if the run has finished: grpo.steps=200 or sft.steps=200; no other setting")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_changed(command, *options);
  command.add_flag("-q,--quiet", options->quiet, "print no progress");
  command.callback([options, &action] { action = [options] { return resume_run(*options); }; });
}

}  // namespace compeer::app
