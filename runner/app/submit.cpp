// compeer submit: writes experiments and scripts as Slurm jobs and submits them.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "base/error.h"
#include "launch/preflight.h"
#include "launch/slurm/job_script.h"
#include "launch/slurm/jobs.h"
#include "launch/slurm/slurm.h"
#include "launch/worker_program.h"
#include "lua/sandbox.h"
#include "plugin/allow_list.h"
#include "plugin/search.h"
#include "script/module.h"
#include "spec/core_schema.h"
#include "spec/paths.h"
#include "spec/runs.h"
#include "spec/spec.h"

namespace compeer::app {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

struct SubmitOptions {
  std::string file;
  std::vector<std::string> sets;
  std::string results;
  bool quick = false, ready = false, dry_run = false, write_only = false, as_json = false, allow_changed = false;

  bool hands_over() const { return !dry_run && !write_only; }
  int64_t at_once = 0;
  launch::SlurmOptions wishes;
  std::vector<std::string> modules, before;
  std::string mpi = "pmix";

  fs::path folder() const { return !results.empty() ? results : quick ? "results/quick" : "results"; }
  bool is_script() const { return fs::path(file).extension() == ".lua"; }
};

struct Queued {
  std::string name;
  fs::path folder;
  launch::QueuedJob job;
};

// Jobs to submit, and runs that need none because they have finished or were submitted before.
struct Plan {
  std::vector<launch::Job> jobs;
  std::vector<Queued> queued;
  std::vector<std::pair<std::string, fs::path>> finished;
  std::vector<std::string> notes;
};

// Returns the path of `file`: in the current folder, or among compeer's own files.
fs::path located(const std::string& file) { return spec::locate(file).value_or(file); }

std::vector<std::string> variables() {
  std::vector<std::string> set;
  for (const char* name : {"COMPEER_HOME", "COMPEER_PLUGIN_PATH"}) {
    if (const char* value = std::getenv(name)) set.push_back(fmt::format("{}={}", name, value));
  }
  if (const auto lists = plugin::AllowLists::wanted(); !lists.empty())
    set.push_back("COMPEER_LOCKED=" + launch::absolute_allow_lists(lists));
  return set;
}

launch::Submission submission(const SubmitOptions& options) {
  return {options.folder(),
          options.wishes,
          {fs::current_path(), variables(), options.modules, options.before, options.mpi, launch::find_worker()},
          options.at_once};
}

// Returns the specs that have no job in Slurm's queue; adds the others to `plan.queued`.
std::vector<spec::Spec> without_queued(const std::vector<spec::Spec>& specs, const SubmitOptions& options, Plan& plan) {
  std::vector<spec::Spec> left;
  for (const auto& spec : specs) {
    const auto folder = launch::RunFolder::look(spec, options.folder()).first;
    if (const auto job = launch::job_in_queue(folder)) {
      plan.queued.push_back({spec.values.at("name"), folder, *job});
    } else {
      left.push_back(spec);
    }
  }
  return left;
}

Plan plan_spec(const SubmitOptions& options) {
  if (options.quick)
    throw Error("--quick", "is only for scripts", "use --set to make an experiment smaller", Exit::usage);
  if (options.at_once > 0 || options.ready)
    throw Error(options.at_once > 0 ? "--array-limit" : "--ready", "is only for scripts with several experiments", "",
                Exit::usage);
  const auto draft = spec::with(spec::load_draft(options.file, options.sets), launch::changes_of(options.wishes));
  const auto refuse = [](const spec::Spec& input, const std::string& why) -> spec::RunInput {
    throw Error(
        "", fmt::format("{}, which has not finished", why),
        fmt::format(
            "submit '{}' first, and this experiment when it has finished; or submit a script, which includes the runs "
            "that its experiments need",
            input.values.at("name").get<std::string>()));
  };
  const auto note = [](const std::string& text) { std::cerr << fmt::format("compeer: note: {}\n", text); };
  const auto spec = spec::resolve_after_inputs(draft, plugin::Finder(), {options.folder(), nullptr, note}, refuse);
  Plan plan;
  const auto [folder, state] = launch::RunFolder::look(spec, options.folder());
  if (state == launch::RunFolder::State::finished) {
    plan.finished.emplace_back(spec.values.at("name"), folder);
  } else if (!without_queued({spec}, options, plan).empty()) {
    launch::PluginTrial().columns({spec});
    plan.jobs.push_back(launch::run_job(spec, submission(options)));
  }
  return plan;
}

// Runs a script up to the first point that needs missing results, and records its runs in `agenda`. Returns false if it
// did not reach its end.
bool follow(const SubmitOptions& options, const std::shared_ptr<launch::Agenda>& agenda) {
  launch::ScriptOptions script{
      {options.folder(), 1, false, true}, launch::changes_of(options.wishes), options.quick, true};
  for (const auto& set : options.sets) script.changes.push_back(spec::parse_set(set));
  script.agenda = agenda;
  lua::Sandbox sandbox({{}, [](std::string_view) {}});
  script::add_compeer(sandbox, launch::make_script_actions(script));
  return sandbox.run_file(located(options.file));
}

launch::SubmittedScript study_of(const SubmitOptions& options) {
  launch::SubmittedScript study{fs::absolute(located(options.file)).lexically_normal(), {}};
  auto& words = study.changes;
  for (const auto& set : options.sets) words.insert(words.end(), {"--set", set});
  for (const auto& change : launch::changes_of(options.wishes))
    words.insert(words.end(), {"--ranks", std::to_string(change.value.get<int64_t>())});
  if (options.quick) words.emplace_back("--quick");
  if (options.allow_changed) words.emplace_back("--changed");
  return study;
}

// Returns why a script can only run as one job, or "" if each experiment can be a job.
std::string reason_for_single_job(const launch::Agenda& agenda, bool whole) {
  for (const auto& entry : agenda.entries) {
    if (!entry.waits_for.empty())
      return fmt::format("'{}' reads files that '{}' has not written yet",
                         entry.spec.values.at("name").get<std::string>(), entry.waits_for);
  }
  // The script launches one run at a time and reads its results before the next.
  if (!whole && agenda.entries.size() == 1 && agenda.largest_batch == 1) return agenda.notes.back();
  return "";
}

void add_study(const SubmitOptions& options, const launch::Agenda& agenda, const std::string& reason, Plan& plan) {
  if (options.at_once > 0) {
    throw Error("--array-limit", fmt::format("{} can't be a job array: {}", options.file, reason),
                "use --ready to submit the experiments that wait for no other, or omit --array-limit to run the whole "
                "script as one job",
                Exit::usage);
  }
  std::vector<spec::Spec> known;
  for (const auto& entry : agenda.entries) known.push_back(entry.spec);
  auto job = launch::study_job(study_of(options), known, submission(options));
  const auto folder = job.script.parent_path();
  if (const auto queued = launch::job_in_queue(folder)) {
    plan.queued.push_back({job.title, folder, *queued});
    return;
  }
  plan.notes.push_back(fmt::format("one job for the whole script: {}", reason));
  plan.jobs.push_back(std::move(job));
}

Plan plan_script_jobs(const SubmitOptions& options) {
  const auto agenda = std::make_shared<launch::Agenda>();
  const bool whole = follow(options, agenda);
  Plan plan;
  plan.finished = agenda->finished;
  if (agenda->entries.empty()) return plan;
  const auto reason = reason_for_single_job(*agenda, whole);
  if (!reason.empty() && !options.ready) {
    add_study(options, *agenda, reason, plan);
    return plan;
  }
  std::vector<spec::Spec> ready;
  for (const auto& entry : agenda->entries) {
    if (entry.waits_for.empty()) ready.push_back(entry.spec);
  }
  plan.jobs = launch::array_jobs(study_of(options), without_queued(ready, options, plan), submission(options));
  // Notes name work that the script does after the runs, such as tables and reports.
  if (ready.size() < agenda->entries.size() || !whole || !agenda->notes.empty())
    plan.notes.push_back(
        fmt::format("when these have finished, run `compeer run {}` to continue the script", options.file));
  return plan;
}

std::string in_full(const fs::path& path) { return fs::absolute(path).lexically_normal().string(); }

ordered_json job_json(const launch::Job& job, const std::string& number, bool with_text) {
  ordered_json one = {{"job", number.empty() ? ordered_json() : ordered_json(number)}, {"script", job.script.string()}};
  one["runs"] = ordered_json::array();
  for (size_t i = 0; i < job.runs.size(); ++i)
    one["runs"].push_back({{"name", job.runs[i].values.at("name")}, {"folder", job.folders[i].string()}});
  if (with_text) one["text"] = job.text;
  return one;
}

// Submits the job, records it in the folders of its runs, and returns its number.
std::string submit_and_record(const launch::Job& job) {
  auto number = launch::submit_job(job.script);
  for (size_t i = 0; i < job.folders.size(); ++i)
    launch::remember_job(job.folders[i], job.folders.size() == 1 ? number : fmt::format("{}_{}", number, i));
  if (job.runs.empty()) launch::remember_job(job.script.parent_path(), number);
  return number;
}

void print_job(const SubmitOptions& options, const launch::Job& job, const std::string& number) {
  if (options.dry_run) {
    std::cout << job.text;
  } else if (options.write_only) {
    std::cout << fmt::format("sbatch {}\n", launch::shell_word(job.script.string()));
  } else {
    std::cout << fmt::format("job {}  {}  {}\n", number, job.title, job.script.string());
  }
}

void tell_what_is_left_out(const Plan& plan) {
  for (const auto& [name, folder] : plan.finished)
    std::cerr << fmt::format("{}: finished before, in {}\n", name, folder.string());
  for (const auto& [name, folder, job] : plan.queued)
    std::cerr << fmt::format("compeer: note: {}: is job {} ({})\n", name, job.number, job.state);
  for (const auto& note : plan.notes) std::cerr << fmt::format("compeer: note: {}\n", note);
  for (const auto& job : plan.jobs)
    for (const auto& remark : job.remarks) std::cerr << fmt::format("compeer: note: {}\n", remark);
  if (plan.jobs.empty()) std::cerr << "compeer: note: nothing is left to submit\n";
}

int submit(const SubmitOptions& options) {
  launch::check_slurm_options(options.wishes);
  launch::check_shared_lists(plugin::AllowLists::wanted(), options.folder());
  const auto plan = options.is_script() ? plan_script_jobs(options) : plan_spec(options);
  if (options.hands_over() && !plan.jobs.empty()) launch::check_sbatch();
  tell_what_is_left_out(plan);
  ordered_json all = {
      {"jobs", ordered_json::array()}, {"queued", ordered_json::array()}, {"finished", ordered_json::array()}};
  for (const auto& job : plan.jobs) {
    if (!options.dry_run) launch::prepare(job, options.folder(), options.allow_changed);
    const auto number = options.hands_over() ? submit_and_record(job) : "";
    all["jobs"].push_back(job_json(job, number, options.dry_run));
    if (!options.as_json) print_job(options, job, number);
  }
  for (const auto& [name, folder, job] : plan.queued)
    all["queued"].push_back({{"name", name}, {"folder", in_full(folder)}, {"job", job.number}, {"state", job.state}});
  for (const auto& [name, folder] : plan.finished)
    all["finished"].push_back({{"name", name}, {"folder", in_full(folder)}});
  if (options.as_json) std::cout << all.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  return 0;
}

void add_wishes(CLI::App& command, SubmitOptions& options) {
  auto& wishes = options.wishes;
  const auto count = [&](const char* name, int64_t& value, const char* text) {
    command.add_option(name, value, text)->type_name("N")->check(CLI::Range(1, spec::most_ranks));
  };
  const auto word = [&](const char* name, std::string& value, const char* text, const char* type) {
    command.add_option(name, value, text)->type_name(type);
  };
  const auto words = [&](const char* name, std::vector<std::string>& values, const char* text, const char* type) {
    command.add_option(name, values, text)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  count("--ntasks,--ranks", wishes.tasks, "number of ranks of a run; default: the experiment's");
  count("--nodes", wishes.nodes, "number of hosts; default: Slurm decides");
  count("--tasks-per-node", wishes.tasks_per_node, "ranks on each host");
  word("--time", wishes.time, "time limit of the job: 90 (minutes), 2:00:00, 1-12", "TIME");
  word("--partition", wishes.partition, "the partition for the job", "NAME");
  word("--account", wishes.account, "the account that is charged", "NAME");
  word("--mem", wishes.memory, "memory per node: 64G; default: the estimated memory of each rank", "SIZE");
  command
      .add_option("--signal", wishes.signal, "time before the end of the job at which it saves a checkpoint and stops")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  words("--sbatch", wishes.more, "any other option of sbatch: --sbatch=--qos=long (repeatable)", "OPTION");
  words("--module", options.modules, "run module load NAME in the job (repeatable)", "NAME");
  words("--before", options.before, "a shell command for the job, after the modules (repeatable)", "LINE");
  word("--mpi", options.mpi, "how srun connects the ranks: srun --mpi=list names the kinds", "KIND");
  count("--array-limit", options.at_once, "maximum number of a script's experiments that run at the same time");
}

}  // namespace

void add_submit(CLI::App& command, Action& action) {
  auto options = std::make_shared<SubmitOptions>();
  command.add_option("FILE", options->file, "a Lua script, a TOML file, a spec.json or the folder of a run")
      ->required();
  command.add_option("--set", options->sets, "change a value: --set grpo.lr=1e-4 (repeatable); KEY=null unsets it")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--results", options->results, "the folder in which the folders of runs are created")
      ->type_name("DIR")
      ->default_str("results; with --quick results/quick");
  add_wishes(command, *options);
  command.add_flag("--ready", options->ready, "submit only the experiments of a script that wait for no other");
  command.add_flag("--quick", options->quick, "run a small version of a script that has one, to see that it works");
  auto* dry_run = command.add_flag("--dry-run", options->dry_run, "print the batch scripts; write and submit nothing");
  command
      .add_flag("--write-only", options->write_only,
                "write folders and batch scripts, and print the commands that submit them")
      ->excludes(dry_run);
  command.add_flag("--json", options->as_json, "jobs, scripts and folders as one JSON object");
  command.add_flag("--changed", options->allow_changed,
                   "continue runs although plugins or inputs have changed since they started");
  command.callback([options, &action] { action = [options] { return submit(*options); }; });
}

}  // namespace compeer::app
