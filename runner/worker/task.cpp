// Starts the task of a run: selects the device, opens the plugins, and calls `train` or `data`.
#include "worker/task.h"

#include <ATen/Parallel.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "comm/phase.h"
#include "comm/share.h"
#include "data/task.h"
#include "inference/device.h"
#include "inference/services.h"
#include "kernels/instruction_set.h"
#include "spec/spec.h"
#include "train/metrics/placement.h"
#include "train/run.h"

namespace compeer::worker {

namespace {

// Collective. Selects the device on which the run's models compute. Throws if only some ranks have one.
void use_device(comm::World& world, const spec::ComputeSettings& asked) {
  const auto setting = asked.table + ".device";
  world.run_on_all_ranks("open the device",
                         [&] { inference::use_device(setting, asked.device, asked.engine, world.local_rank()); });
  const bool on_cpu = inference::device_in_use() == "cpu";
  if (world.any(on_cpu) && world.any(!on_cpu))
    throw Error(setting, "is 'auto', and some ranks have a device while others have none",
                "provide a device for each rank (sbatch --gres=gpu:N), or set it to 'cpu'", Exit::usage);
  if (asked.device == "auto" && on_cpu && world.rank() == 0)
    fmt::print(stderr, "compeer: note: {} is 'auto', and the run computes on the CPU: {}\n", setting,
               inference::why_on_cpu());
}

// "bfloat16 by avx512_bf16"
std::string arithmetic_of(const spec::ComputeSettings& how) {
  const bool exact = how.engine == "exact" || (how.table == "data" && inference::device_in_use() == "cpu");
  return how.compute + " by " + (exact ? kernels::instruction_set() : "libtorch");
}

}  // namespace

void run_task(comm::World& world, const nlohmann::json& spec_file, const std::filesystem::path& folder, bool resume,
              comm::StopFlag& stop) {
  c10::SetStackTraceFetcher([] { return std::string(); });  // no stack traces in error messages of libtorch
  kernels::use_instruction_set_from_environment();
  const Settings spec(spec_file.at("spec"));
  at::set_num_threads(static_cast<int>(spec.integer("threads")));
  const auto how = spec::compute_settings(spec_file.at("spec"));
  use_device(world, how);
  train::print_placements(world, spec.integer("threads"), arithmetic_of(how));
  const auto task = spec.text("task");
  if (task == "data") {
    auto services = inference::services_of(spec_file, stop, world.rank());
    // A chat model may take long to answer. Polling `cancelled` counts as progress, so that the watchdog does not fire.
    services.cancelled = [&stop] { return comm::mark_progress(), stop.raised(); };
    return data::run(world, stop, spec_file, folder, std::move(services));
  }
  train::RunContext run{world,   stop,   spec_file,
                        folder,  spec,   train::find_start(world, folder, resume && task != "evaluate", spec_file),
                        nullptr, nullptr};
  const auto checkpoint = run.start.step > 0 ? std::optional(run.start.folder) : std::nullopt;
  world.run_on_all_ranks("open plugins", [&] {
    run.plugins = std::make_unique<train::RunPlugins>(spec_file, checkpoint, stop, world.rank(),
                                                      std::filesystem::absolute(folder).parent_path() / "answers");
  });
  if (task == "sft") {
    train::run_sft(run);
  } else if (task == "grpo") {
    train::run_grpo(run);
  } else {
    train::run_evaluate(run);
  }
}

namespace {

// Returns the spec of a run with one rank and the work that rank 0, whose share is the largest, has in this run.
nlohmann::json share_of_rank_0(nlohmann::json spec_file) {
  auto& spec = spec_file.at("spec");
  const auto ranks = static_cast<int>(spec.at("ranks").get<int64_t>());
  const auto task = spec.at("task").get<std::string>();
  auto& table = spec.at(task);
  auto& batch = table.at("batch");
  const auto part = table.value(task == "sft" ? "micro_batch" : "groups_per_reduction", int64_t{1});
  const auto whole = batch.get<int64_t>();
  batch = std::min(whole, part * comm::leaves_of_rank((whole + part - 1) / part, ranks, 0).count);
  spec["ranks"] = 1;
  return spec_file;
}

}  // namespace

// Estimates for the CPU, because hosts from which jobs are submitted usually have no GPU.
double estimate_memory(const nlohmann::json& spec_file, const std::filesystem::path& scratch, comm::StopFlag& stop) {
  c10::SetStackTraceFetcher([] { return std::string(); });
  const auto task = spec_file.at("spec").at("task").get<std::string>();
  if (task == "data") throw Error("task data", "memory can't be estimated: it depends on the stages", "", Exit::data);
  const auto mine = share_of_rank_0(spec_file);
  const Settings spec(mine.at("spec"));
  at::set_num_threads(static_cast<int>(spec.integer("threads")));
  comm::World world;
  train::RunContext run{world, stop, mine, scratch, spec, {}, nullptr, nullptr};
  run.plugins = std::make_unique<train::RunPlugins>(mine, std::nullopt, stop, 0);
  return task == "sft"    ? train::memory_of_sft(run)
         : task == "grpo" ? train::memory_of_grpo(run)
                          : train::memory_of_evaluate(run);
}

}  // namespace compeer::worker
