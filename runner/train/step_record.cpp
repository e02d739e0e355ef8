// GRPO around its steps: what a run opens, and what is logged of each step.
#include <algorithm>
#include <cmath>

#include "inference/device.h"
#include "record/run_file.h"
#include "statistics/mean.h"
#include "train/batch/reward_states.h"
#include "train/batch/rollouts.h"
#include "train/metrics/step_table.h"
#include "train/step.h"

namespace compeer::train {

namespace {

std::vector<std::string> with_reference(std::vector<std::string> columns, bool reference) {
  if (reference) columns.emplace_back("reference_kl");
  return columns;
}

// Labels and columns of the rewards that have a weight.
std::vector<std::pair<std::string, std::string>> weighted_rewards(const std::vector<RewardTerm>& rewards) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const RewardTerm& term : rewards) {
    if (term.weight != 0) all.emplace_back(term.label, reward_column(term));
  }
  return all;
}

Records::Wanted usable(const GrpoSettings& settings, const RunContext& run) {
  return {settings.split, Records::Then::completion, room_for_completions(settings.sampling, run.plugins->positions())};
}

// On a device all groups of a rank are one leaf, whose gradient comes back once.
GrpoSettings for_device(const RunContext& run, GrpoSettings settings) {
  if (inference::device_in_use() != "cpu")
    settings.together = std::max(settings.together, (settings.batch + run.world.size() - 1) / run.world.size());
  return settings;
}

}  // namespace

std::unique_ptr<GrpoStep> GrpoStep::open(RunContext& run) {
  const GrpoSettings settings(run.spec);
  const auto prompts = static_cast<uint64_t>(settings.steps * settings.batch);
  auto records =
      Records::shuffled(run.world, *run.plugins, run.spec.table("dataset"), usable(settings, run), run.seed(), prompts);
  std::unique_ptr<GrpoStep> step(new GrpoStep(run, settings, std::move(records)));
  if (run.start.step > 0) run.world.together("load", [&] { load_reward_states(*run.plugins, run.start.folder); });
  if (settings.reference) step->training_.keep_reference();
  if (auto held_out = held_out_records(run, usable(settings, run))) step->held_out_.emplace(std::move(*held_out));
  return step;
}

GrpoStep::GrpoStep(RunContext& run, GrpoSettings settings, Records records)
    : run_(run),
      settings_(for_device(run, std::move(settings))),
      records_(std::move(records)),
      score_columns_(with_reference(logged_score_columns(*run.plugins), settings_.reference)),
      reward_terms_(shaped_columns(*run.plugins)),
      reward_parts_(weighted_parts(run.plugins->rewards())),
      training_(run, settings_.lr, static_cast<uint64_t>(settings_.steps * settings_.updates)),
      validation_(run, training_, static_cast<uint64_t>(settings_.steps),
                  StepTable::metric_names(logged_score_columns(*run.plugins)), "reward",
                  [this](uint64_t t) { return validate(t); }),
      policy_(run.plugins->model(), run.plugins->policy(), settings_.sampling.temperature, settings_.micro_tokens),
      gradients_(training_.gradients(settings_.leaves())),
      sums_(run.world, settings_.leaves(), UpdateStats::sums),
      signal_(weighted_rewards(run.plugins->rewards())),
      answers_(UnreadableAnswers::limits_of(run.plugins->rewards()), static_cast<uint64_t>(settings_.steps)) {
  // Unless a checkpoint brought it.
  if (settings_.entropy_control) training_.numbers.emplace(entropy_bonus, settings_.objective.entropy_bonus);
}

std::vector<const Records*> GrpoStep::records() const {
  std::vector<const Records*> all{&records_};
  if (held_out_) all.push_back(&*held_out_);
  return all;
}

PeakMemory GrpoStep::demand() { return settings_.demand(gradients_.mine().count, longest_of(run_, records_, false)); }

std::vector<std::string> GrpoStep::columns() const {
  auto names = StepTable::metric_names(score_columns_);
  for (const auto& part : reward_parts_) names.push_back(StepTable::share_column(part));
  for (const char* name : {"advantage_mean", "advantage_std", "advantage_abs", "loss", "surrogate", "clip_share",
                           "clip_share_low", "clip_share_high", "ratio_distance", "rollout_trainer_max_diff",
                           "grad_norm", "lr", "tokens", "tokens_per_second", "peak_memory"})
    names.emplace_back(name);
  std::vector<std::string> phases{"rollout", "score", "train", "reduce", "log"};
  if (settings_.reference) {
    names.emplace_back("kl");
    phases.insert(phases.begin() + 2, "reference");
  }
  if (settings_.resample > 0) names.emplace_back("replaced");
  if (training_.numerical_check.skips_steps()) names.emplace_back("left_out");
  if (settings_.entropy_control) names.emplace_back(entropy_bonus);
  for (const auto& name : PhaseClock::columns(phases)) names.push_back(name);
  for (const auto& name : validation_.columns()) names.push_back(name);
  return names;
}

std::vector<std::string> GrpoStep::values() const {
  auto names = score_columns_;
  names.emplace_back("advantage");
  return names;
}

void GrpoStep::record(uint64_t t, const StepBatch& batch, const at::Tensor& advantages, MetricRow& row) {
  record_advantages(advantages, row);
  run_.world.together("log", [&] { run_.journal->rollouts(t, *run_.plugins, batch); });
  auto& check = training_.numerical_check;
  if (check.skips_steps()) row.set("left_out", check.take_skipped());
  enum Note : size_t { rollout_difference, ratio_distance, replaced, memory };
  const double mine[] = {first_.rollout_difference, last_.ratio_distance, static_cast<double>(replaced_),
                         peak_memory()};
  const auto table = StepTable::gather(run_.world, batch, score_columns_, mine);
  if (run_.world.rank() == 0) {
    for (const auto& [name, value] : table.metrics(score_columns_)) row.set(name, value);
    for (const auto& part : reward_parts_) row.set(StepTable::share_column(part), table.share(part));
    row.set("rollout_trainer_max_diff", table.largest(rollout_difference));
    row.set("ratio_distance", table.largest(ratio_distance));
    row.set("tokens", table.tokens());
    row.set("peak_memory", table.largest(memory));
    if (settings_.resample > 0) row.set("replaced", table.sum(replaced));
  }
  warn_about_rewards(t, row);
}

void GrpoStep::record_advantages(const at::Tensor& advantages, MetricRow& row) {
  const auto* first = advantages.const_data_ptr<double>();
  std::vector<double> all(first, first + advantages.numel());
  row.set("advantage_mean", statistics::mean(all));
  row.set("advantage_std", statistics::deviation(all));
  for (double& advantage : all) advantage = std::abs(advantage);
  row.set("advantage_abs", statistics::mean(all));
}

void GrpoStep::record_update(std::span<const double> sums, const StepTotals& totals, const Optimizer::Update& done,
                             MetricRow& row) const {
  const double places = std::max(sums[UpdateStats::places], 1.0);
  row.set("loss", sums[UpdateStats::loss]);
  row.set("surrogate", sums[UpdateStats::surrogate] / std::max(totals.completions, 1.0));
  row.set("clip_share_low", sums[UpdateStats::cut_low] / places);
  row.set("clip_share_high", sums[UpdateStats::cut_high] / places);
  row.set("clip_share", (sums[UpdateStats::cut_low] + sums[UpdateStats::cut_high]) / places);
  if (settings_.reference) row.set("kl", sums[UpdateStats::kl] / std::max(totals.step.size.tokens, 1.0));
  if (settings_.entropy_control) row.set(entropy_bonus, training_.numbers.at(entropy_bonus));
  row.set("grad_norm", done.gradient_norm);
  row.set("lr", done.lr);
}

void GrpoStep::warn_about_rewards(uint64_t t, const MetricRow& row) {
  run_.world.together("log", [&] {
    if (run_.world.rank() != 0) return;
    for (const auto& text : signal_.warnings_after(row, t == static_cast<uint64_t>(settings_.steps)))
      run_.journal->warning(t, text);
  });
}

void GrpoStep::check_answers(uint64_t t, const MetricRow& row) {
  for (const auto& text : answers_.warnings_after(row)) run_.journal->warning(t, text);
  answers_.check();
}

void GrpoStep::read_earlier_rows() {
  run_.world.together("open the log", [&] {
    if (run_.world.rank() != 0 || run_.start.step == 0) return;
    const record::RunReader reader(run_.folder / "run.h5");
    std::vector<std::vector<double>> values;
    for (const auto& column : run_.journal->columns()) values.push_back(reader.column(column));
    for (uint64_t t = 0; t < run_.start.step; ++t) {
      MetricRow row(run_.journal->columns());
      for (size_t i = 0; i < values.size(); ++i) row.set(row.columns()[i], values[i].at(t));
      signal_.warnings_after(row, false);  // said by the earlier start
      answers_.warnings_after(row);
    }
  });
}

}  // namespace compeer::train
