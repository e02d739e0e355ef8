// compeer-worker: one rank of a run. Reads the run's spec, checks that all ranks agree, and runs the task.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/processes.h"
#include "comm/watchdog.h"
#include "spec/text.h"
#include "worker/call.h"
#include "worker/commands.h"
#include "worker/faults.h"
#include "worker/spec.h"
#include "worker/task.h"

namespace compeer::worker {
namespace {

// Kills processes that plugins have left running, because they would keep the launcher's pipes open.
void end_orphans(const Orphans& orphans) {
  for (const pid_t one : orphans.living()) {
    const auto title = spec::printable(process_title(one), 100);
    std::fprintf(stderr, "compeer: warning: %s outlived the run and was killed\n", title.c_str());
  }
  orphans.end();
}

void run(comm::World& world, comm::StopFlag& stop, const WorkerCall& call) {
  const nlohmann::json spec = read_spec(world, call.run);
  const double patience = spec["spec"].value(nlohmann::json::json_pointer("/watchdog/seconds"), 300.0);
  const comm::Watchdog watchdog(world, patience, report_hang);
  check_agreement(world, spec);
  // Absolute path, because a plugin may change the current folder.
  run_task(world, spec, std::filesystem::absolute(call.run), call.resume, stop);
  world.barrier(comm::final_barrier);
}

// Ends a failed or stopped run; to be called in a catch block. If all ranks know of the failure, each leaves by itself;
// otherwise this rank aborts the job.
[[noreturn]] void end(comm::World& world, const Orphans& orphans) {
  task_is_over();
  const comm::Fault fault = comm::fault_of(std::current_exception(), world.rank(), world.host());
  const bool stopped = is_stop(static_cast<Exit>(fault.exit));  // not a failure: all ranks agreed to stop
  bool all_know = stopped;
  try {
    throw;
  } catch (const comm::RankError&) {
    all_know = true;
  } catch (...) {
  }
  if (stopped && world.rank() == 0) std::fprintf(stderr, "compeer: %s\n", fault.what.c_str());
  if (!stopped && (world.rank() == 0 || !all_know)) report(fault);
  end_orphans(orphans);
  if (all_know) world.leave(fault.exit);
  world.abort(fault.exit);
}

int start(const WorkerCall& call) {
  comm::StopFlag stop;
  install_stop_handlers(stop);  // before MPI is initialized, because a launcher may forward a signal early
  const Orphans orphans;
  comm::World world;
  try {
    install_fault_handlers(world);
    const auto mine = world.run_on_all_ranks("take the folder",
                                             [&] { return world.rank() == 0 ? lock_folder(call) : LockedFolder(); });
    if (!world.any(mine.is_over)) {
      std::error_code none;
      if (world.rank() == 0) std::filesystem::remove(call.run / "error.json", none);  // of an earlier start
      write_faults_into(call.run / "error.json");
      run(world, stop, call);
    }
    task_is_over();
    end_orphans(orphans);
    world.finish();
  } catch (...) {
    end(world, orphans);
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace
}  // namespace compeer::worker

int main(int argc, char** argv) try {
  compeer::worker::die_with_launcher();
  if (argc == 4 && std::string_view(argv[1]) == "model")
    compeer::worker::run_and_exit([&] { return compeer::worker::model_command(argv[2], argv[3]); });
  const auto call = compeer::worker::parse_worker_call(argc, argv);
  return compeer::worker::start(call);
} catch (const compeer::Error& e) {  // from before or during the start of MPI
  std::fprintf(stderr, "compeer: %s\n", compeer::spec::error_text(e.what()).c_str());
  ::_exit(static_cast<int>(e.exit()));
}
