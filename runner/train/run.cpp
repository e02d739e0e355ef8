// The parts of a run that its tasks share: checkpoints, resuming, the journal and the loop over steps.
#include "train/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/model_folder.h"
#include "inference/certificate.h"
#include "record/checkpoint.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "spec/history.h"
#include "spec/text.h"
#include "train/batch/records.h"
#include "train/batch/scoring.h"
#include "train/validation.h"

namespace compeer::train {

namespace {

// Writes form.json, with the path and `weights_fingerprint` of the base model if `folder` contains an adapter.
void save_form(nlohmann::json form, const std::filesystem::path& folder) {
  if (form.is_null()) return;
  if (holds_adapter(folder)) {
    const auto base = base_model(folder);
    form["base"] = {{"path", base.string()}, {"weights_mark", weights_fingerprint(base)}};
  }
  write_file(folder / "form.json", form.dump(2) + "\n");
}

}  // namespace

void save_checkpoint(comm::World& world, const std::filesystem::path& run, uint64_t step, RunPlugins& plugins,
                     Training& training, uint64_t keep) {
  std::optional<record::CheckpointWriter> writer;
  world.run_on_all_ranks("checkpoint", [&] {
    if (world.rank() != 0) return;
    writer.emplace(run, step);
    plugins.model().call("save", [&](Model& model) { model.save(writer->folder().string()); });
    plugins.tokenizer().save(writer->folder());
    plugins.vision_input().save(writer->folder());
    save_form(plugins.form(), writer->folder());
  });
  training.save(writer ? writer->folder() : std::filesystem::path());
  save_reward_states(world, plugins, writer ? writer->folder() : std::filesystem::path());
  world.run_on_all_ranks("checkpoint", [&] {
    if (!writer) return;
    writer->commit({{"step", step}});
    record::prune(run, keep);
  });
}

CheckpointSchedule::CheckpointSchedule(const Settings& settings, uint64_t steps)
    : steps_(steps),
      every_(settings.has("every") ? static_cast<uint64_t>(settings.integer("every")) : (steps + 9) / 10),
      minutes_(settings.number("minutes")) {}

bool CheckpointSchedule::due(comm::World& world, uint64_t step) const {
  if (step == steps_ || (every_ > 0 && step % every_ == 0)) return true;
  if (minutes_ == 0) return false;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - written_;
  return world.any(world.rank() == 0 && passed.count() >= 60 * minutes_);
}

namespace {

// Throws if run.h5 was written with another spec: its rows would not belong to the checkpoints of this run.
void refuse_another_spec(const record::RunReader& log, const std::filesystem::path& run,
                         const nlohmann::json& spec_file) {
  const auto own = parse_json(log.spec_text());
  if (!own.is_object() || !own.contains("sha256") || spec::is_spec_of_run(spec_file, own["sha256"])) return;
  throw Error(
      (run / "spec.json").string(), "is not the spec that run.h5 was started with",
      "restore the original spec.json and resume, or start over with this one: --fresh renames the existing folder",
      Exit::data);
}

// Renames torn rollout files and the checkpoints of their steps, so that the run can write both again. Returns the last
// step before the first torn file, or `step` if none is torn.
uint64_t set_torn_rollouts_aside(const std::filesystem::path& run, uint64_t step, std::vector<std::string>& problems) {
  const auto all_torn = record::RolloutReader::torn(run, step);
  if (all_torn.empty()) return step;
  for (const auto& torn : all_torn) step = std::min(step, torn.first_step - 1);
  // Checkpoints first: if the run is killed between the two, it must not resume from one of them later.
  for (const auto& name : record::set_checkpoints_aside(run, step))
    problems.push_back(fmt::format("{0}: its rollout files are incomplete; renamed to {0}.torn", name));
  for (const auto& torn : all_torn) {
    auto aside = torn.file;
    aside.replace_extension(".torn");
    std::filesystem::rename(torn.file, aside);
    problems.push_back(fmt::format("rollouts/{}: {}; renamed to {}, and its steps are repeated",
                                   torn.file.filename().string(), torn.problem, aside.filename().string()));
  }
  return step;
}

Start newest_start(const std::filesystem::path& run, const nlohmann::json& spec_file) {
  Start start;
  if (record::checkpoint_folders(run).empty()) return start;
  uint64_t rows = 0;
  if (std::filesystem::exists(run / "run.h5")) {
    const record::RunReader log(run / "run.h5");
    refuse_another_spec(log, run, spec_file);
    rows = log.rows();
  }
  auto found = record::newest_good(run, &start.skipped, rows);
  bool torn = false;
  if (found) {
    rows = set_torn_rollouts_aside(run, found->step, start.skipped);
    torn = rows < found->step;
    if (torn) found = record::newest_good(run, nullptr, rows);
  }
  for (auto& problem : start.skipped) problem = spec::printable(problem, 500);
  if (torn && !found) return start;  // from the first step
  if (!found)
    throw Error(run.string(), fmt::format("has no usable checkpoint:\n  {}", fmt::join(start.skipped, "\n  ")),
                "--fresh starts over and renames the existing folder", Exit::data);
  record::point_at(found->folder, "last");
  start.step = found->step;
  start.folder = found->folder;
  return start;
}

}  // namespace

Start find_start(comm::World& world, const std::filesystem::path& run, bool resume, const nlohmann::json& spec_file) {
  Start start = world.run_on_all_ranks("find the checkpoint", [&] {
    if (world.rank() != 0) return Start();
    record::remove_unfinished(run);
    return resume ? newest_start(run, spec_file) : Start();
  });
  for (const auto& problem : start.skipped) fmt::print(stderr, "compeer: warning: skipped {}\n", problem);
  std::string message = nlohmann::json{start.step, start.folder.string()}.dump();
  world.broadcast(message);
  const auto read = nlohmann::json::parse(message);
  start.step = read[0];
  start.folder = read[1].get<std::string>();
  return start;
}

namespace {

// Returns the numbers of records that were used, trimmed or skipped, for summary.json, and logs remarks about them.
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

// Returns a note if a batch has fewer leaves than there are ranks; otherwise "".
std::string idle_ranks(const RunContext& run, const std::string& task) {
  const auto settings = run.spec.table(task);
  const std::string divisor = task == "sft" ? "micro_batch" : "groups_per_reduction";
  const int64_t batch = settings.integer("batch"), ranks = run.world.size(),
                part = settings.has(divisor) ? settings.integer(divisor) : 1, parts = (batch + part - 1) / part;
  if (parts >= ranks) return "";
  const auto divided = part > 1 ? fmt::format(", divided by {}.{} = {},", task, divisor, part) : "";
  return fmt::format(
      "{} of {} ranks have no work: {}.batch = {}{} gives {} part{}; lower 'ranks'{}, or raise '{}.batch'",
      ranks - parts, ranks, task, batch, divided, parts, parts == 1 ? "" : "s",
      part > 1 ? fmt::format(" or '{}.{}'", task, divisor) : "", task);
}

}  // namespace

void open_journal(RunContext& run, const std::string& task, std::vector<std::string> columns,
                  std::vector<std::string> values, uint64_t steps, const std::vector<const Records*>& records) {
  columns.insert(columns.begin(), "step");
  if (!run.spec.table("record").flag("rollouts")) values.clear();
  run.world.run_on_all_ranks("open the log", [&] {
    run.journal =
        std::make_unique<Journal>(run.world, Journal::Plan{run.folder, run.spec_file.dump(2), task, std::move(columns),
                                                           std::move(values), steps, run.start.step});
    if (inference::device_in_use() != "cpu")
      run.journal->note(run.start.step,
                        inference::certificate_text(inference::gpu_in_use(), inference::cuda_software()));
    if (const auto idle = idle_ranks(run, task); !idle.empty() && run.start.step == 0) run.journal->note(0, idle);
    for (const auto& problem : run.start.skipped) run.journal->note(run.start.step, "skipped " + problem);
    run.journal->set_data_summary(data_summary(run, records));
  });
}

namespace {

void stop_politely(RunContext& run, uint64_t step) {
  run.world.run_on_all_ranks("stop", [&] { run.journal->stop("preempted"); });
  throw Error("", "stopped at step " + std::to_string(step) + " as requested; its checkpoint is saved",
              "compeer resume " + run.folder.string(), Exit::preempted);
}

}  // namespace

void train_loop(RunContext& run, Training& training, Validation& validation, uint64_t steps,
                const std::function<void(uint64_t, MetricRow&)>& step,
                const std::function<void(uint64_t, const MetricRow&)>& logged) {
  const auto settings = run.spec.table("checkpoint");
  const auto keep = static_cast<uint64_t>(settings.integer("keep"));
  CheckpointSchedule checkpoints(settings, steps);
  const auto point_best = [&] {
    run.world.run_on_all_ranks("checkpoint", [&] {
      if (validation.keeps_best() && run.world.rank() == 0) record::point_best_at(run.folder, validation.best());
    });
  };
  point_best();  // the run may have been killed before it did this
  if (const auto plan = validation.plan(); !plan.empty())
    run.world.run_on_all_ranks("log", [&] { run.journal->note(run.start.step, plan); });
  uint64_t done = run.start.step, saved = done;
  while (done < steps && !validation.is_over(done)) {
    const uint64_t t = ++done;
    MetricRow row(run.journal->columns());
    row.set("step", static_cast<double>(t));
    try {
      step(t, row);
    } catch (const Error& error) {
      // The step was interrupted while it waited for an external service, before it changed any state: the run can
      // resume from the previous step.
      if (!is_stop(error.exit())) throw;
      run.world.run_on_all_ranks("log", [&] { run.journal->sync(); });
      if (t - 1 > saved) save_checkpoint(run.world, run.folder, t - 1, *run.plugins, training, keep);
      run.world.run_on_all_ranks("stop", [&] { run.journal->stop("preempted"); });
      throw;
    }
    const bool best = validation.run_if_due(t, row) && validation.keeps_best();
    const bool stop = run.world.any(run.stop.raised());
    const bool save = checkpoints.due(run.world, t) || stop || best || validation.is_over(t);
    run.world.run_on_all_ranks("log", [&] {
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
  run.world.run_on_all_ranks("finish", [&] { run.journal->close_rollouts(); });
  run.world.run_on_all_ranks("finish", [&] {
    if (done < steps) run.journal->end_at(done, validation.why_over());
    run.journal->finish(validation.estimates());
  });
}

}  // namespace compeer::train
