#include "base/error.h"
#include "train/run.h"

namespace compeer::train {

void open_journal(Run& run, const std::string& task, std::vector<std::string> columns, std::vector<std::string> values,
                  uint64_t steps) {
  columns.insert(columns.begin(), "step");
  if (!run.spec.table("record").flag("rollouts")) values.clear();
  run.world.together("open the log", [&] {
    run.journal =
        std::make_unique<Journal>(run.world, Journal::Plan{run.folder, run.spec_file.dump(2), task, std::move(columns),
                                                           std::move(values), steps, run.start.step});
    for (const auto& problem : run.start.passed_over) run.journal->event(run.start.step, "passed over " + problem);
  });
}

namespace {

void stop_politely(Run& run, uint64_t step) {
  run.world.together("stop", [&] { run.journal->stop("preempted"); });
  throw Error("", "stopped at step " + std::to_string(step) + " as asked; its checkpoint is written",
              "compeer resume " + run.folder.string(), Exit::preempted);
}

}  // namespace

void train_loop(Run& run, Training& training, uint64_t steps, const std::function<void(uint64_t, Row&)>& step) {
  const auto settings = run.spec.table("checkpoint");
  const auto keep = static_cast<uint64_t>(settings.integer("keep"));
  CheckpointTimes checkpoints(settings, steps);
  for (uint64_t t = run.start.step + 1; t <= steps; ++t) {
    Row row(run.journal->columns());
    row.set("step", static_cast<double>(t));
    step(t, row);
    const bool stop = run.world.any(run.stop.raised());
    const bool save = stop || checkpoints.due(run.world, t);
    run.world.together("log", [&] {
      run.journal->append(t, row);
      if (save) run.journal->sync();
    });
    if (save) {
      save_checkpoint(run.world, run.folder, t, *run.cast, training, keep);
      checkpoints.written();
    }
    if (stop && t < steps) stop_politely(run, t);
  }
  run.world.together("finish", [&] { run.journal->finish({}); });
}

}  // namespace compeer::train
