// The command line of compeer-worker, and the lock of the run's folder.
#include "worker/call.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "record/checkpoint.h"
#include "record/run_folder.h"
#include "record/status.h"
#include "spec/text.h"
#include "worker/faults.h"

namespace compeer::worker {

namespace fs = std::filesystem;

namespace {

constexpr char usage[] = R"(usage: compeer-worker RUN_DIR [--resume | --fresh]

One rank of the run that RUN_DIR/spec.json describes. `compeer run` writes that file and starts
the workers; by hand, in the same working directory:

  compeer-worker RUN_DIR                    one rank, no launcher needed
  mpirun -n 2 compeer-worker RUN_DIR        two ranks
  srun --mpi=pmix compeer-worker RUN_DIR    as many as the job has tasks

  --resume    continue from the newest undamaged checkpoint, or start if there is none
  --fresh     start over; an existing run is renamed to RUN_DIR~1

Without either option, a folder with an existing run is an error (exit code 4).

  --version   print the version
  --help      print this text

Signals: USR1, USR2, TERM  save a checkpoint after this step, then exit with 85
Exit codes: 0 done, 1 failure, 2 usage, 3 spec, 4 data, 5 plugin, 84 budget spent, 85 stopped (can be resumed), 86 hung
)";

[[noreturn]] void refuse(const std::string& what, const std::string& help) {
  std::fprintf(stderr, "compeer-worker: %s\n  help: %s\n", what.c_str(), help.c_str());
  std::exit(static_cast<int>(Exit::usage));
}

// The folder with a name as its last part: "x/" becomes "x", and "." the name of the current folder.
std::filesystem::path named(const std::filesystem::path& folder) {
  const auto plain = (folder / "").parent_path();
  const bool has_name = plain.filename() != "." && plain.filename() != "..";
  return has_name ? plain : std::filesystem::weakly_canonical(plain);
}

record::WriterLock lock(const fs::path& folder) {
  try {
    return record::WriterLock(folder / "spec.json");
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    throw Error(folder.string(), "is in use by other workers", "wait until they exit, or stop them", Exit::data);
  }
}

// True if the run has finished and its last checkpoint, if the task has any, is undamaged. If that checkpoint is
// missing or damaged, but an earlier one exists, the run can make it again.
bool nothing_is_left(const fs::path& folder) {
  if (!record::has_finished(folder)) return false;
  const auto checkpoints = record::checkpoint_folders(folder);
  if (checkpoints.empty()) return true;
  return record::step_of(checkpoints[0]) == record::read_summary(folder)->steps &&
         record::damage(checkpoints[0]).empty();
}

void say(const std::string& text) { fmt::print(stderr, "compeer: {}\n", spec::printable(text, 1000)); }

}  // namespace

WorkerCall parse_worker_call(int argc, char** argv) {
  WorkerCall call;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else if (word == "--version") {
      std::puts("compeer-worker " COMPEER_VERSION);
      std::exit(0);
    } else if (word == "--resume") {
      call.resume = true;
    } else if (word == "--fresh") {
      call.fresh = true;
    } else if (word.size() > 1 && word[0] == '-') {
      refuse("unknown option '" + word + "'", suggest(word, {"--resume", "--fresh", "--version", "--help"}));
    } else if (!call.run.empty()) {
      refuse("more than one run folder: '" + call.run.string() + "' and '" + word + "'", "compeer-worker --help");
    } else {
      call.run = named(word);
    }
  }
  if (call.run.empty()) refuse("no run folder given", "compeer-worker RUN_DIR [--resume | --fresh]");
  if (call.resume && call.fresh)
    refuse("both --resume and --fresh are given", "--resume continues the run, --fresh starts over");
  return call;
}

LockedFolder lock_folder(const WorkerCall& call) {
  const fs::path& folder = call.run;
  LockedFolder taken{lock(folder)};
  std::error_code none;
  if (!fs::exists(folder / "spec.json", none) || !record::was_begun(folder)) return taken;
  if (call.resume) {
    taken.is_over = nothing_is_left(folder);
    if (taken.is_over) say(folder.string() + " has already finished: nothing to do");
  } else if (call.fresh) {
    const auto aside = record::rename_aside(folder).filename();
    say(fmt::format("note: starting over; the existing folder {} was renamed to {}", folder.string(), aside.string()));
  } else {
    throw Error(folder.string(), "contains " + record::progress_text(folder),
                "--resume continues it; --fresh starts over and renames the existing folder", Exit::data);
  }
  return taken;
}

void run_and_exit(const std::function<int()>& command) {
  release_signals();
  install_crash_handlers();
  int exit = 0;
  try {
    exit = command();
  } catch (const Error& error) {
    std::fprintf(stderr, "compeer: error: %s\n", spec::error_text(error.what()).c_str());
    exit = static_cast<int>(error.exit());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compeer: error: %s\n", spec::error_text(error.what()).c_str());
    exit = static_cast<int>(Exit::failure);
  }
  std::fflush(nullptr);
  ::_exit(exit);
}

}  // namespace compeer::worker
