#include "train/task.h"

#include <ATen/Parallel.h>
#include <c10/util/Logging.h>

#include "comm/phase.h"
#include "data/task.h"
#include "train/cast/services.h"
#include "train/run.h"
#include "train/telling/seats.h"

namespace compeer::train {

void run_task(comm::World& world, const nlohmann::json& spec_file, const std::filesystem::path& folder, bool resume,
              comm::StopFlag& stop) {
  c10::SetStackTraceFetcher([] { return std::string(); });  // errors of libtorch are for people here
  const Settings spec(spec_file.at("spec"));
  at::set_num_threads(static_cast<int>(spec.integer("threads")));
  tell_seats(world, spec.integer("threads"));
  const auto task = spec.text("task");
  if (task == "data") {
    auto services = services_of(spec_file, stop);
    // A chat model may take long to answer; while it looks whether to stop, it has not hung.
    services.cancelled = [&stop] { return comm::mark_progress(), stop.raised(); };
    return data::run(world, stop, spec_file, folder, std::move(services));
  }
  Run run{world,   stop,
          spec_file, folder,
          spec,    find_start(world, folder, resume && task != "evaluate", spec_file.at("sha256")),
          nullptr, nullptr};
  const auto checkpoint = run.start.step > 0 ? std::optional(run.start.folder) : std::nullopt;
  world.together("open plugins", [&] { run.cast = std::make_unique<Cast>(spec_file, checkpoint, stop); });
  if (task == "sft") {
    run_sft(run);
  } else if (task == "grpo") {
    run_grpo(run);
  } else {
    run_evaluate(run);
  }
}

}  // namespace compeer::train
