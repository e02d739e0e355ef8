#include <fmt/format.h>

#include "base/error.h"
#include "inference/certificate.h"
#include "record/checkpoint.h"
#include "train/batch/records.h"
#include "train/run.h"
#include "train/validation.h"

namespace compeer::train {

namespace {

// How many records were used, trimmed or skipped, for the log and summary.json.
nlohmann::json data_summary(RunContext& run, const std::vector<const Records*>& records) {
  nlohmann::json splits = nlohmann::json::array();
  for (const Records* one : records) {
    splits.push_back(one->counts());
    if (run.start.step > 0) continue;
    for (const auto& remark : one->remarks()) run.journal->note(0, remark);
  }
  const auto unreadable = plugin::left_out(run.plugins->dataset());
  if (!unreadable.text.empty()) run.journal->note(run.start.step, unreadable.text);
  return {{"unreadable", unreadable.count}, {"splits", splits}};
}

// A note if a batch has fewer parts than there are ranks; otherwise empty.
std::string idle_ranks(const RunContext& run, const std::string& task) {
  const auto settings = run.spec.table(task);
  const int64_t batch = settings.integer("batch"), ranks = run.world.size(),
                together = settings.has("together") ? settings.integer("together") : 1,
                parts = (batch + together - 1) / together;
  if (parts >= ranks) return "";
  const auto divided = together > 1 ? fmt::format(", divided by {}.together = {},", task, together) : "";
  return fmt::format("{} of {} ranks have no work: {}.batch = {}{} has {} part{}; lower 'ranks'{}, or raise '{}.batch'",
                     ranks - parts, ranks, task, batch, divided, parts, parts == 1 ? "" : "s",
                     together > 1 ? " or '" + task + ".together'" : "", task);
}

}  // namespace

void open_journal(RunContext& run, const std::string& task, std::vector<std::string> columns,
                  std::vector<std::string> values, uint64_t steps, const std::vector<const Records*>& records) {
  columns.insert(columns.begin(), "step");
  if (!run.spec.table("record").flag("rollouts")) values.clear();
  run.world.together("open the log", [&] {
    run.journal =
        std::make_unique<Journal>(run.world, Journal::Plan{run.folder, run.spec_file.dump(2), task, std::move(columns),
                                                           std::move(values), steps, run.start.step});
    if (inference::device_in_use() != "cpu")
      run.journal->note(run.start.step,
                        inference::certificate_text(inference::gpu_in_use(), inference::cuda_software()));
    if (const auto idle = idle_ranks(run, task); !idle.empty() && run.start.step == 0) run.journal->note(0, idle);
    for (const auto& problem : run.start.passed_over) run.journal->note(run.start.step, "passed over " + problem);
    run.journal->set_data_summary(data_summary(run, records));
  });
}

namespace {

void stop_politely(RunContext& run, uint64_t step) {
  run.world.together("stop", [&] { run.journal->stop("preempted"); });
  throw Error("", "stopped at step " + std::to_string(step) + " as asked; its checkpoint is written",
              "compeer resume " + run.folder.string(), Exit::preempted);
}

}  // namespace

void train_loop(RunContext& run, Training& training, Validation& validation, uint64_t steps,
                const std::function<void(uint64_t, MetricRow&)>& step,
                const std::function<void(uint64_t, const MetricRow&)>& logged) {
  const auto settings = run.spec.table("checkpoint");
  const auto keep = static_cast<uint64_t>(settings.integer("keep"));
  CheckpointTimes checkpoints(settings, steps);
  const auto point_best = [&] {
    run.world.together("checkpoint", [&] {
      if (validation.keeps_best() && run.world.rank() == 0) record::point_best_at(run.folder, validation.best());
    });
  };
  point_best();  // a kill may have come before that
  if (const auto plan = validation.plan(); !plan.empty())
    run.world.together("log", [&] { run.journal->note(run.start.step, plan); });
  uint64_t done = run.start.step, saved = done;
  while (done < steps && !validation.is_over(done)) {
    const uint64_t t = ++done;
    MetricRow row(run.journal->columns());
    row.set("step", static_cast<double>(t));
    try {
      step(t, row);
    } catch (const Error& error) {
      // Of what a step waited for, before it changed anything: the run goes on from the last one.
      if (!is_stop(error.exit())) throw;
      run.world.together("log", [&] { run.journal->sync(); });
      if (t - 1 > saved) save_checkpoint(run.world, run.folder, t - 1, *run.plugins, training, keep);
      run.world.together("stop", [&] { run.journal->stop("preempted"); });
      throw;
    }
    const bool best = validation.run_if_due(t, row) && validation.keeps_best();
    const bool stop = run.world.any(run.stop.raised());
    const bool save = checkpoints.due(run.world, t) || stop || best || validation.is_over(t);
    run.world.together("log", [&] {
      run.journal->append(t, row);
      if (save) run.journal->sync();
      if (logged && run.world.rank() == 0) logged(t, row);
    });
    if (save) {
      save_checkpoint(run.world, run.folder, t, *run.plugins, training, keep);
      checkpoints.written();
      saved = t;
    }
    if (best) point_best();
    if (stop && t < steps) stop_politely(run, t);
  }
  run.world.together("finish", [&] { run.journal->close_rollouts(); });
  run.world.together("finish", [&] {
    if (done < steps) run.journal->end_at(done, validation.why_over());
    run.journal->finish(validation.estimates());
  });
}

}  // namespace compeer::train
