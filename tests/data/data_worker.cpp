// A worker that knows the task `data` alone, so that its tests need no kernels and no models.
#include <cstdio>

#include "app/worker/worker_call.h"
#include "app/worker/worker_faults.h"
#include "app/worker/worker_spec.h"
#include "data/task.h"
#include "train/services.h"

int main(int argc, char** argv) {
  using namespace compeer;
  const auto call = app::parse_worker_call(argc, argv);
  app::die_with_launcher();
  comm::StopFlag stop;
  app::obey_signals(stop);
  comm::World world;
  app::watch_for_faults(world, call.run / "error.json");
  try {
    const auto spec = app::read_spec(world, call.run);
    app::check_agreement(world, spec);
    data::run(world, stop, spec, call.run, train::services_of(spec, stop));
    app::task_is_over();
    world.finish();
  } catch (...) {
    app::task_is_over();
    const auto fault = comm::fault_of(std::current_exception(), world.rank(), world.host());
    if (world.rank() == 0) app::report(fault);
    std::fflush(nullptr);
    world.leave(fault.exit);
  }
}
