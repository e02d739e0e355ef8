// compeer-worker: one rank of a run. Reads the run's spec, makes sure that all ranks have the same, does the task.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "app/worker_faults.h"
#include "app/worker_spec.h"
#include "comm/watchdog.h"
#include "train/task.h"

namespace compeer::app {
namespace {

constexpr char usage[] = R"(usage: compeer-worker RUN_DIR [--resume]

One rank of the run that RUN_DIR/spec.json describes. `compeer run` writes that file and starts
the workers; by hand, in the same working directory:

  compeer-worker RUN_DIR                    one rank, no launcher needed
  mpirun -n 2 compeer-worker RUN_DIR        two ranks
  srun --mpi=pmix compeer-worker RUN_DIR    as many as the job has tasks

  --resume    go on from the newest good checkpoint
  --version   print the version
  --help      print this text

Signals: USR1, USR2, TERM  save a checkpoint after this step, then exit with 85
Exit codes: 0 done, 1 failure, 2 usage, 3 spec, 4 data, 5 plugin, 85 stopped (resume me), 86 hung
)";

struct Call {
  std::filesystem::path run;
  bool resume = false;
};

[[noreturn]] void refuse(const std::string& what, const std::string& help) {
  std::fprintf(stderr, "compeer-worker: %s\n  help: %s\n", what.c_str(), help.c_str());
  std::exit(static_cast<int>(Exit::usage));
}

Call parse(int argc, char** argv) {
  Call call;
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
    } else if (word.size() > 1 && word[0] == '-') {
      refuse("unknown option '" + word + "'", suggest(word, {"--resume", "--version", "--help"}));
    } else if (!call.run.empty()) {
      refuse("more than one run folder: '" + call.run.string() + "' and '" + word + "'", "compeer-worker --help");
    } else {
      call.run = word;
    }
  }
  if (call.run.empty()) refuse("no run folder given", "compeer-worker RUN_DIR [--resume]");
  return call;
}

void run(comm::World& world, comm::StopFlag& stop, const Call& call) {
  const nlohmann::json spec = read_spec(world, call.run);
  const double patience = spec["spec"].value(nlohmann::json::json_pointer("/watchdog/seconds"), 300.0);
  const comm::Watchdog watchdog(world, patience, report_hang);
  check_agreement(world, spec);
  train::run_task(world, spec, call.run, call.resume, stop);
  world.barrier(comm::the_end);
}

// Called in a catch block. However a run fails, it ends here, and takes the job with it: together, if all ranks know
// of it, else by ending them.
[[noreturn]] void end(comm::World& world) {
  task_is_over();
  const comm::Fault fault = comm::fault_of(std::current_exception(), world.rank(), world.host());
  const bool stopped = fault.exit == static_cast<int>(Exit::preempted);  // no fault: all agreed to stop
  bool all_know = stopped;
  try {
    throw;
  } catch (const comm::RankError&) {
    all_know = true;
  } catch (...) {
  }
  if (stopped && world.rank() == 0) std::fprintf(stderr, "compeer: %s\n", fault.what.c_str());
  if (!stopped && (world.rank() == 0 || !all_know)) report(fault);
  if (all_know) world.leave(fault.exit);
  world.abort(fault.exit);
}

int start(const Call& call) {
  comm::StopFlag stop;
  comm::World world;
  try {
    std::error_code none;
    if (world.rank() == 0) std::filesystem::remove(call.run / "error.json", none);  // of an earlier try
    watch_for_faults(world, stop, call.run / "error.json");
    run(world, stop, call);
    task_is_over();
    world.finish();
  } catch (...) {
    end(world);
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace
}  // namespace compeer::app

int main(int argc, char** argv) try {
  const auto call = compeer::app::parse(argc, argv);
  compeer::app::die_with_launcher();
  return compeer::app::start(call);
} catch (const compeer::Error& e) {  // no world came about
  std::fprintf(stderr, "compeer: %s\n", e.what());
  ::_exit(static_cast<int>(e.exit()));
}
