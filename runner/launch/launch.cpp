// Starts runs as child processes, watches them, and collects their results.
#include "launch/launch.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>

#include <functional>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/processes.h"
#include "launch/ending.h"
#include "launch/process.h"
#include "launch/worker_program.h"
#include "plugin/allow_list.h"
#include "record/checkpoint.h"
#include "record/lock.h"
#include "record/run_folder.h"
#include "spec/history.h"
#include "spec/text.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

constexpr timespec look_at_process{0, 20'000'000};
constexpr double look_at_status = 0.2;   // seconds
constexpr double wait_for_launcher = 5;  // seconds that mpirun may take to end after its last rank
constexpr const char* going_on = "repeat the command to continue";
constexpr const char* polite =
    "stopping after this step with a checkpoint; interrupt again to kill the run immediately";

uint64_t size_of(const fs::path& file) {
  std::error_code code;
  const auto size = fs::file_size(file, code);
  return code ? 0 : size;
}

// Returns "finished" or, if validation ended the run early, "finished early at step 12 of 20 (best: step 4)".
std::string finished(const record::Summary& summary, uint64_t planned) {
  const auto best = summary.metrics.find("validation/best_step");
  if (best == summary.metrics.end() || summary.steps >= planned) return "finished";
  return fmt::format("finished early at step {} of {} (best: step {:.0f})", summary.steps, planned, best->second.mean);
}

// A running run, from its start in a folder to its end.
class RunningRun {
 public:
  RunningRun(size_t index, spec::Spec spec, RunFolder folder, const LaunchOptions& options, Progress& progress)
      : index_(index),
        name_(spec::printable(spec.values.at("name").get<std::string>(), 100)),
        folder_(std::move(folder)),
        progress_(progress) {
    refuse_forbidden(spec);
    const bool resume = folder_.state(spec) == RunFolder::State::resumable && !options.fresh;
    if (resume) spec = folder_.continued(std::move(spec), options.allow_changed);
    if (!resume) spec.history.clear();
    if (const auto other = resume ? "" : folder_.namesake(spec); !other.empty())
      progress.note(fmt::format("compeer: note: {}; this one is {}", other, folder_.path().string()));
    const auto command = worker_command(spec, folder_.path(), resume);
    if (const auto aside = options.fresh ? folder_.rename_aside() : fs::path(); !aside.empty())
      progress.note(fmt::format("compeer: note: {} was renamed to {}", folder_.path().string(), aside.string()));
    folder_.prepare(spec, resume);
    log_start_ = size_of(folder_.path() / "log.txt");
    warnings_.emplace(folder_.path(), log_start_);
    // If this program dies, a single rank is killed. A launcher gets SIGUSR1 instead, which it passes to its ranks; it
    // ends after them.
    launcher_ = command[0] == find_worker() ? "" : fs::path(command[0]).filename().string();
    steps_ = spec.values.at(spec.values.at("task").get<std::string>()).value("steps", uint64_t{0});
    patience_ = spec.values.at("watchdog").at("seconds").get<double>();
    auto environment = worker_environment(spec);
    environment.push_back(fmt::format("COMPEER_JOBS={}", options.jobs));  // number of runs that share the memory
    process_ = std::make_unique<Process>(Process::Setup{command, environment, folder_.path() / "log.txt",
                                                        folder_.lock(), launcher_.empty() ? SIGKILL : SIGUSR1});
    const auto ranks = spec.values.at("ranks").get<int64_t>();
    progress.start(name_, fmt::format("{} on {} rank{} in {}", resume ? "resumes" : "starts", ranks,
                                      ranks > 1 ? "s" : "", folder_.path().string()));
  }

  static void warn(const RunFolder& folder, const spec::Spec& spec, Progress& progress) {
    for (const auto& sentence : folder.changed_plugins(spec)) {
      progress.note(fmt::format("compeer: note: {}; use --fresh to start over", sentence));
    }
  }

  void refuse_forbidden(const spec::Spec& spec) {
    const plugin::AllowLists allowed;
    for (const auto& one : spec.plugins) allowed.refuse(one.kind, one.name, one.path, one.sha256);
  }

  bool running() {
    const bool alive = process_->running();
    if (progress_.elapsed(name_) - looked_ < look_at_status) return alive;
    looked_ = progress_.elapsed(name_);
    begun_ = begun_ || has_begun(folder_.path());
    tell_if_stopped();
    tell_warnings();
    // The ranks' watchdog works only after they have started. srun may wait for resources, so it has no time limit.
    if (alive && !begun_ && launcher_ == "mpirun" && looked_ > patience_) {
      give_up(no_rank_began(folder_.path(), patience_, log_start_));
    }
    try {
      if (const auto status = record::read_status(folder_.path())) {
        progress_.update(name_, *status);
        if (alive && launcher_ == "mpirun") end_after_ranks(status->state);
      }
    } catch (const Error&) {  // read again next time
    }
    return alive;
  }

  void stop() {
    process_->signal(SIGUSR1);
    // Before its ranks have started, a launcher passes the signal to no process.
    if (!launcher_.empty() && !begun_ && !has_begun(folder_.path())) give_up(stopped_before(folder_.path()));
  }
  void kill_as_asked() { give_up(Error("run " + name_, "killed on request", going_on, Exit::failure)); }

  size_t index() const { return index_; }
  Launched finish() {
    process_->kill_all();  // processes that the run has left behind
    Launched done{name_, folder_.path(), false, why_it_ended(folder_.path(), end(), log_start_), {}};
    if (done.error && given_up_ && !is_stop(done.error->exit())) done.error = given_up_;
    if (done.error && !is_stop(done.error->exit())) leave_failure(*done.error);
    tell_warnings();
    if (const auto others = warnings_->others(); !others.empty()) tell(others);
    const double seconds = progress_.elapsed(name_);
    if (!done.error) done.summary = *record::read_summary(folder_.path());
    const bool stopped = done.error && is_stop(done.error->exit());
    const auto outcome = !done.error ? Progress::Outcome::finished
                         : stopped   ? Progress::Outcome::stopped
                                     : Progress::Outcome::failed;
    const auto word = !done.error ? finished(done.summary, steps_) : stopped ? "stopped" : "failed";
    progress_.end(name_, outcome, fmt::format("{} after {}", word, duration_text(seconds)));
    return done;
  }

 private:
  // True if a rank has started: it locks spec.json, if the file system supports locks, and writes a status other than
  // the "starting" of `prepare`.
  static bool has_begun(const fs::path& folder) {
    try {
      if (record::is_locked(folder / "spec.json")) return true;
      const auto status = record::read_status(folder);
      return status && status->state != "starting";
    } catch (const Error&) {  // can't be read at the moment: read again next time
      return false;
    }
  }

  // Reports that the process is stopped. No other message would say why there is no progress: a single rank has no
  // other rank that waits for it.
  void tell_if_stopped() {
    const bool stopped = process_->stopped();
    if (stopped && !stopped_) {
      progress_.note(fmt::format(
          "compeer: note: {}: its process {} is stopped (kill -STOP, a debugger); kill -CONT {} continues it", name_,
          process_->id(), process_->id()));
    }
    stopped_ = stopped;
  }

  void tell(const std::string& warning) { progress_.note(fmt::format("compeer: warning: {}: {}", name_, warning)); }
  void tell_warnings() {
    for (const auto& warning : warnings_->fresh()) tell(warning);
  }

  // Ends mpirun if it does not end after its ranks: it waits until their output is closed, and a process that a plugin
  // has started may keep it open.
  void end_after_ranks(const std::string& state) {
    const bool ended = state == "finished" || state == "preempted";
    if (!ended || !children_of(process_->id()).empty()) {
      ranks_seen_ = looked_;
    } else if (looked_ - ranks_seen_ > wait_for_launcher) {
      process_->kill_all();
      end_of_ranks_ = {state == "finished" ? 0 : static_cast<int>(Exit::preempted), 0};
    }
  }

  ProcessEnd end() const { return end_of_ranks_.value_or(process_->end()); }

  void leave_failure(const Error& error) const {
    const ProcessEnd own = given_up_ ? ProcessEnd() : end();  // our SIGKILL is not the cause
    record_failure(folder_.path(), error, own, log_start_);
  }

  void give_up(const Error& why) {
    given_up_ = why;
    process_->kill_all();
  }

  size_t index_;
  std::string name_;
  RunFolder folder_;
  Progress& progress_;
  uint64_t log_start_ = 0;
  std::optional<Warnings> warnings_;
  double looked_ = 0, patience_ = 0, ranks_seen_ = 0;
  uint64_t steps_ = 0;    // steps of the spec; 0: a task without steps
  std::string launcher_;  // "mpirun" or "srun"; "" if the worker is started directly
  bool begun_ = false, stopped_ = false;
  std::optional<Error> given_up_;
  std::optional<ProcessEnd> end_of_ranks_;  // outcome of the ranks, if the launcher was killed after them
  std::unique_ptr<Process> process_;
};

// Runs a list of specs, several at a time, and collects the outcomes.
class Launcher {
 public:
  Launcher(const std::vector<spec::Spec>& specs, const LaunchOptions& options)
      : specs_(specs),
        options_(options),
        progress_(Progress::standard_error(options.quiet), specs.size()),
        done_(specs.size()) {}

  std::vector<Launched> run(const std::function<RunFolder(const spec::Spec&)>& claim) {
    while (next_ < specs_.size() || !live_.empty()) {
      heed_interrupts();
      while (next_ < specs_.size() && live_.size() < static_cast<size_t>(options_.jobs) && !stopping_) {
        begin(next_++, claim);
      }
      if (stopping_) next_ = specs_.size();
      std::erase_if(live_, [&](const auto& one) {
        if (one->running()) return false;
        done_[one->index()] = one->finish();
        return true;
      });
      // nanosleep returns at a signal. std::this_thread::sleep_for would resume sleeping, and never return if signals
      // arrive fast enough.
      if (!live_.empty()) ::nanosleep(&look_at_process, nullptr);
    }
    progress_.close();
    if (stopping_) refuse_to_go_on();
    return std::move(done_);
  }

 private:
  void begin(size_t index, const std::function<RunFolder(const spec::Spec&)>& claim) {
    const auto& spec = specs_[index];
    done_[index].name = spec.values.at("name");
    try {
      auto folder = claim(spec);
      done_[index].folder = folder.path();
      if (folder.state(spec) == RunFolder::State::finished && !options_.fresh) {
        read_back(done_[index], folder, spec);
      } else {
        live_.push_back(std::make_unique<RunningRun>(index, spec, std::move(folder), options_, progress_));
      }
      return;
    } catch (const Error& error) {
      done_[index].error = error;
    } catch (const fs::filesystem_error& error) {
      done_[index].error = Error(error.path1().string(), error.code().message(), "", Exit::failure);
    }
    progress_.end(done_[index].name, Progress::Outcome::failed, "");
  }

  void read_back(Launched& done, const RunFolder& folder, const spec::Spec& spec) {
    done.reused = true;
    done.summary = *record::read_summary(folder.path());
    RunningRun::warn(folder, spec, progress_);
    progress_.end(done.name, Progress::Outcome::read_back,
                  fmt::format("finished before, results read from {}", folder.path().string()));
  }

  void heed_interrupts() {
    const int count = interrupts_.count();
    if (count > 0 && !stopping_) {
      stopping_ = true;
      if (!live_.empty()) progress_.stop(fmt::format("compeer: {}", polite));
      for (auto& one : live_) one->stop();
    }
    if (count > 1 && !killed_) {
      killed_ = true;
      for (auto& one : live_) one->kill_as_asked();
    }
  }

  [[noreturn]] void refuse_to_go_on() {
    for (const auto& one : done_) {
      if (one.error && is_stop(one.error->exit())) throw *one.error;
    }
    throw Error("", killed_ ? "killed on request" : "stopped on request", going_on,
                killed_ ? Exit::failure : Exit::preempted);
  }

  const std::vector<spec::Spec>& specs_;
  LaunchOptions options_;
  const Orphans orphans_;  // outlives `live_`: kills processes that have left the session of their run
  Interrupts interrupts_;
  Progress progress_;
  std::vector<Launched> done_;
  std::vector<std::unique_ptr<RunningRun>> live_;
  size_t next_ = 0;
  bool stopping_ = false, killed_ = false;
};

}  // namespace

std::vector<Launched> launch(const std::vector<spec::Spec>& specs, const LaunchOptions& options) {
  return Launcher(specs, options).run([&](const spec::Spec& spec) { return RunFolder::claim(spec, options.results); });
}

namespace {

void refuse_strange_plugins(const spec::Spec& spec, const fs::path& folder, const plugin::Finder& plugins) {
  for (const auto& one : spec.plugins) {
    if (plugins.covers(one.kind, one.path)) continue;
    throw Error(
        folder.string(),
        fmt::format("would load {}, which is not in a folder of the plugin search path",
                    spec::printable(one.path, 200)),
        fmt::format("plugins can run any code. If you trust this file, use compeer resume {} --plugin-dir {}",
                    folder.string(), spec::printable(fs::path(one.path).parent_path().parent_path().string(), 200)),
        Exit::plugin);
  }
}

spec::Spec with_more_steps(const spec::Spec& spec, const std::vector<spec::Change>& changes, const fs::path& folder) {
  auto longer = spec::with_more_steps(spec, changes, 0);  // finds mistakes before checkpoints are read
  if (longer.sha256() == spec.sha256()) return spec;
  if (const auto start = record::newest_good(folder)) return spec::with_more_steps(spec, changes, start->step);
  if (record::has_finished(folder) || !record::checkpoint_folders(folder).empty())
    throw Error(folder.string(), "has no intact checkpoint, so it can't be continued",
                "start a new run of that length: compeer run RUN_DIR --set KEY=VALUE --set name=NAME", Exit::data);
  return longer;
}

// Returns the spec with the present pins of its inputs. Throws Error if an input has changed, unless that is allowed.
spec::Spec with_current_inputs(const spec::Spec& spec, const fs::path& folder, bool allowed) {
  const auto start = record::newest_good(folder);
  auto now = spec::with_current_inputs(spec, start ? start->step : 0);
  std::vector<std::string> changed;
  for (size_t i = spec.history.size(); i < now.history.size(); ++i) changed.push_back(now.history[i].at("what"));
  if (!changed.empty() && !allowed)
    throw Error(folder.string(), fmt::format("was started with different {}", fmt::join(changed, ", ")),
                fmt::format("restore the old contents, or add --changed to continue with the new ones and record the "
                            "change, or start a new run: compeer run {} --set name=NAME",
                            folder.string()),
                Exit::data);
  return now;
}

// Updates hash and version of plugins whose files have changed. The worker reports a file that is missing.
void look_again(std::vector<spec::PluginInfo>& plugins) {
  for (auto& one : plugins) {
    std::error_code none;
    if (!fs::exists(one.path, none)) continue;
    const auto bytes = read_file(one.path, plugin::largest_library);
    if (const auto hash = sha256(bytes); hash != one.sha256) {
      one.sha256 = hash;
      one.version = plugin::read_descriptor(bytes, one.path).version;
    }
  }
}

}  // namespace

Launched resume(const fs::path& folder, const LaunchOptions& options, const plugin::Finder& plugins,
                const std::vector<spec::Change>& changes) {
  const auto file = folder / "spec.json";
  std::error_code code;
  if (!fs::exists(file, code)) {
    throw Error(folder.string(), "is not a run: it contains no spec.json",
                "name the folder of a run: compeer resume results/NAME", Exit::usage);
  }
  std::vector<spec::Spec> specs{spec::Spec::from_file_text(read_plain_file(file, 16 << 20), file.string())};
  refuse_strange_plugins(specs[0], folder, plugins);
  if (!changes.empty()) specs[0] = with_more_steps(specs[0], changes, folder);
  const auto claim = [&](const spec::Spec&) {
    auto mine = RunFolder::open(folder);
    if (mine.state(specs[0]) == RunFolder::State::finished) return mine;
    look_again(specs[0].plugins);
    specs[0] = with_current_inputs(specs[0], folder, options.allow_changed);
    return mine;
  };
  return Launcher(specs, options).run(claim).at(0);
}

}  // namespace compeer::launch
