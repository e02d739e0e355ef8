// compeer log watch: reads and shows runs at intervals until they end.
#include "app/log/watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/log/log.h"
#include "base/error.h"
#include "launch/process.h"
#include "launch/run_folder.h"
#include "launch/slurm/slurm.h"
#include "record/in_child.h"
#include "record/lock.h"
#include "record/run_file.h"
#include "record/status.h"

namespace compeer::app {

namespace {

using Path = std::filesystem::path;
constexpr int interrupted = 130;  // exit code that shells give for Ctrl-C

using nlohmann::json;

// Reads run.h5 and returns the result as CBOR, for transfer from a child process; JSON can't represent NaN.
std::string rows_in(const Path& file, std::vector<std::string> columns) {
  const record::RunReader reader(file);
  json read = {{"columns", reader.columns()},
               {"times", reader.times()},
               {"values", json::object()},
               {"status", reader.status()},
               {"live", reader.live()}};
  columns.push_back("step");
  for (const auto& name : columns) {
    if (reader.has(name)) read["values"][name] = reader.column(name);
  }
  std::string bytes;
  json::to_cbor(read, bytes);
  return bytes;
}

// Reads run.h5 in a child process: HDF5 may crash or hang on a damaged or malicious file. Sets `alive` if a process is
// writing it.
void read_rows(const Path& folder, const std::vector<std::string>& columns, double seconds, WatchedRun& run,
               bool& alive) {
  std::error_code code;
  if (!std::filesystem::exists(folder / "run.h5", code)) return;
  const auto result = record::in_child([&] { return rows_in(folder / "run.h5", columns); }, seconds);
  if (!result.problem.empty()) throw Error((folder / "run.h5").string(), result.problem, "", result.exit);
  const json read = json::from_cbor(result.output);
  read.at("columns").get_to(run.columns);
  read.at("times").get_to(run.times);
  read.at("values").get_to(run.values);
  alive = alive || read.at("live").get<bool>();
  if (run.state.empty()) read.at("status").get_to(run.state);
}

void read_status(const Path& folder, WatchedRun& run) {
  if (const auto status = record::read_status(folder)) {
    run.state = status->state;
    run.phase = status->phase;
    run.step = status->step;
    run.steps = status->steps;
    run.elapsed = status->elapsed;
  }
  const auto failure = record::read_failure(folder);
  if (!failure || run.state == "finished") return;
  if (run.state != "cancelled") run.state = "failed";
  run.problem = failure->what;
  run.exit = failure->exit;
}

// Returns the run's job in Slurm's queue. Asks Slurm at most every 30 s per run.
std::optional<launch::QueuedJob> job_of(const Path& folder) {
  using Clock = std::chrono::steady_clock;
  struct Answer {
    Clock::time_point time;
    std::optional<launch::QueuedJob> job;
  };
  static std::map<Path, Answer> answers;
  const auto known = answers.find(folder);
  if (known != answers.end() && Clock::now() - known->second.time < std::chrono::seconds(30)) return known->second.job;
  auto& answer = answers[folder] = {Clock::now(), std::nullopt};
  try {
    answer.job = launch::job_in_queue(folder);
  } catch (const Error&) {  // unreadable job.json: treated as no job
  }
  return answer.job;
}

// Sets the state of a run that no process on this host is running and that recorded no end.
void judge_silent(const Path& folder, WatchedRun& run) {
  if (const auto job = job_of(folder)) {
    if (job->state == "PENDING") run.state = "queued";
    if (run.state.empty()) run.state = "starting";
    run.phase = fmt::format("job {}: {}", job->number, job->state);
    return;
  }
  if (run.problem.empty() && !run.state.empty())
    run.problem = fmt::format("its processes have ended; run compeer resume {} to continue", folder.string());
  run.state = "stopped";
}

std::vector<WatchedRun> look(const std::vector<Path>& folders, const std::vector<std::string>& columns,
                             double seconds) {
  std::vector<WatchedRun> runs;
  for (const auto& folder : folders) runs.push_back(read_run_state(folder, columns, seconds));
  return runs;
}

void check_columns(const std::vector<WatchedRun>& runs, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const auto& run : runs) known.insert(known.end(), run.columns.begin(), run.columns.end());
  if (known.empty()) return;  // no run has started
  for (const auto& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw Error("--columns", "no run has a column '" + name + "'", suggest(name, known), Exit::usage);
  }
}

// Redraws a block of lines in place.
class Screen {
 public:
  explicit Screen(const WatchTerminal& place) : place_(place) {}

  void draw(const std::vector<std::string>& lines) {
    std::string text = drawn_ > 0 ? fmt::format("\x1b[{}F\x1b[J", drawn_) : "";
    for (const auto& line : lines) text += line + '\n';
    place_.write(text);
    drawn_ = lines.size();
  }

 private:
  const WatchTerminal& place_;
  size_t drawn_ = 0;
};

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

}  // namespace

WatchTerminal WatchTerminal::standard_output() {
  WatchTerminal place;
  const char* kind = std::getenv("TERM");
  place.terminal = ::isatty(STDOUT_FILENO) && kind && std::string_view(kind) != "dumb";
  place.view = [] {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    return known ? WatchView{{}, size.ws_col, size.ws_row} : WatchView{};
  };
  const auto signals = std::make_shared<launch::Interrupts>();
  place.wait = [signals](double seconds) {
    ::poll(nullptr, 0, static_cast<int>(1000 * seconds));  // a signal ends it
    return signals->count() == 0;
  };
  place.write = [](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw Error("standard output", "can't be written", "", Exit::failure);
  };
  return place;
}

WatchedRun read_run_state(const Path& folder, const std::vector<std::string>& columns, double seconds) {
  WatchedRun run;
  run.name = std::filesystem::weakly_canonical(folder).filename().string();
  bool alive = !launch::RunFolder::holder(folder).empty() || record::is_locked(folder / "spec.json");
  try {
    read_status(folder, run);
    read_rows(folder, columns, seconds, run, alive);
  } catch (const Error& error) {
    if (run.problem.empty())
      run.problem = fmt::format("{}: {}", Path(error.where()).filename().string(), error.problem());
  }
  if (run.state.empty() && alive) run.state = "starting";
  if (!alive && (run.state.empty() || !run.ended())) judge_silent(folder, run);
  return run;
}

int log_watch(const LogWatch& options, const WatchTerminal& place) {
  std::vector<Path> folders;
  for (const auto& run : options.runs) folders.push_back(find_run(run));
  std::vector<WatchedRun> before;
  Screen screen(place);
  while (true) {
    auto columns = options.columns;
    auto runs = look(folders, columns, options.timeout_seconds);
    check_columns(runs, columns);
    if (columns.empty()) {
      columns = default_columns(runs);
      runs = look(folders, columns, options.timeout_seconds);
    }
    auto view = place.view();
    view.columns = columns;
    if (place.terminal) {
      screen.draw(watch_table(runs, view));
    } else {
      place.write(joined_lines(watch_changes(before, runs, view)));
    }
    if (std::all_of(runs.begin(), runs.end(), [](const WatchedRun& run) { return run.ended(); })) return exit_of(runs);
    if (!place.wait(options.interval)) return interrupted;
    before = std::move(runs);
  }
}

}  // namespace compeer::app
