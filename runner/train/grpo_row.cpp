// What is written down of a step of GRPO.
#include <ATen/ops/abs.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/std.h>

#include <algorithm>

#include "train/batch/rollouts.h"
#include "train/grpo_step.h"
#include "train/metrics/memory.h"
#include "train/metrics/step_table.h"
#include "train/update/one_thread.h"

namespace compeer::train {

namespace {

std::vector<std::string> with_reference(std::vector<std::string> columns, bool reference) {
  if (reference) columns.emplace_back("reference_kl");
  return columns;
}

// Rewards that have a weight, and their columns.
std::vector<std::pair<std::string, std::string>> counting(const std::vector<RewardTerm>& rewards) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const RewardTerm& term : rewards) {
    if (term.weight != 0) all.emplace_back(term.label, "rewards/" + term.label + "/" + term.parts.front());
  }
  return all;
}

}  // namespace

GrpoStep::GrpoStep(Run& run)
    : run_(run),
      settings_(run.spec),
      records_(Records::shuffled(run.world, *run.plugins, run.spec.table("dataset"), wanted(settings_.split),
                                 run.seed(), static_cast<uint64_t>(settings_.steps * settings_.batch))),
      score_columns_(with_reference(score_columns(*run.plugins), settings_.reference)),
      training_(run, settings_.lr, static_cast<uint64_t>(settings_.steps * settings_.updates), settings_.reference),
      validation_(run, training_, static_cast<uint64_t>(settings_.steps),
                  StepTable::columns(score_columns(*run.plugins)), "reward",
                  [this](uint64_t t) { return validate(t); }),
      gradients_(training_.gradients(settings_.leaves())),
      sums_(run.world, settings_.leaves(), UpdateStats::sums),
      signal_(counting(run.plugins->rewards())) {
  // Unless a checkpoint brought it.
  if (settings_.entropy_control) training_.numbers.emplace(entropy_bonus, settings_.objective.entropy_bonus);
  if (validation_.columns().empty()) return;
  const auto table = run.spec.table("validation");
  held_out_.emplace(Records::some(run.world, *run.plugins, run.spec.table("dataset"), wanted(table.text("split")),
                                  table.integer("prompts")));
}

Records::Wanted GrpoStep::wanted(const std::string& split) const {
  return {split, Records::Then::completion, room_for_completions(settings_.sampling, run_.plugins->positions())};
}

std::vector<const Records*> GrpoStep::records() const {
  std::vector<const Records*> all{&records_};
  if (held_out_) all.push_back(&*held_out_);
  return all;
}

// Groups are differentiated one after the other.
Demand GrpoStep::demand() {
  const int64_t longest = longest_of(run_, records_, false), leaves = gradients_.mine().count;
  const int64_t most_new = settings_.sampling.max_new_tokens, group = longest + settings_.group_size * most_new;
  const int64_t part = std::max(settings_.micro_tokens, longest + most_new);
  return {gradients_of(leaves), std::min(group, part),
          positions_of(leaves * settings_.together, longest, settings_.group_size, settings_.sampling)};
}

std::vector<std::string> GrpoStep::columns() const {
  auto names = StepTable::columns(score_columns_);
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
  if (training_.soundness.leaves_out()) names.emplace_back("left_out");
  if (settings_.entropy_control) names.emplace_back(entropy_bonus);
  for (const auto& name : Clock::columns(phases)) names.push_back(name);
  for (const auto& name : validation_.columns()) names.push_back(name);
  return names;
}

std::vector<std::string> GrpoStep::values() const {
  auto names = score_columns_;
  names.emplace_back("advantage");
  return names;
}

void GrpoStep::write_advantages(const Pooled& pooled, Row& row) const {
  const OneThread one_thread;
  row.set("advantage_mean", pooled.advantages.mean().item<double>());
  row.set("advantage_std", pooled.advantages.numel() > 1 ? pooled.advantages.std().item<double>() : 0.0);
  row.set("advantage_abs", pooled.advantages.abs().mean().item<double>());
}

void GrpoStep::write_update(std::span<const double> sums, const Pooled& pooled, const Optimizer::Update& done,
                            Row& row) const {
  const double places = std::max(sums[UpdateStats::places], 1.0);
  row.set("loss", sums[UpdateStats::loss]);
  row.set("surrogate", sums[UpdateStats::surrogate] / std::max(pooled.completions, 1.0));
  row.set("clip_share_low", sums[UpdateStats::cut_low] / places);
  row.set("clip_share_high", sums[UpdateStats::cut_high] / places);
  row.set("clip_share", (sums[UpdateStats::cut_low] + sums[UpdateStats::cut_high]) / places);
  if (settings_.reference) row.set("kl", sums[UpdateStats::kl] / std::max(pooled.step.size.tokens, 1.0));
  if (settings_.entropy_control) row.set(entropy_bonus, training_.numbers.at(entropy_bonus));
  row.set("grad_norm", done.gradient_norm);
  row.set("lr", done.lr);
}

void GrpoStep::write_rest(uint64_t t, const std::vector<ScoredGroup>& groups,
                          const std::vector<LearningGroup>& learning, Row& row) {
  std::vector<std::vector<double>> advantages;
  for (const LearningGroup& group : learning) advantages.push_back(group.advantages);
  run_.world.together("log", [&] { run_.journal->rollouts(t, *run_.plugins, groups, advantages); });
  enum Note : size_t { difference, furthest, replaced, memory };
  if (training_.soundness.leaves_out()) row.set("left_out", training_.soundness.left_out());
  const double mine[] = {difference_, furthest_, static_cast<double>(replaced_), peak_memory()};
  const auto table = StepTable::gather(run_.world, groups, mine);
  if (run_.world.rank() != 0) return;
  for (const auto& [name, value] : table.metrics(score_columns_)) row.set(name, value);
  row.set("rollout_trainer_max_diff", table.largest(difference));
  row.set("ratio_distance", table.largest(furthest));
  row.set("tokens", table.tokens());
  row.set("peak_memory", table.largest(memory));
  if (settings_.resample > 0) row.set("replaced", table.sum(replaced));
}

void GrpoStep::tell_signal(uint64_t t, const Row& row) {
  run_.world.together("log", [&] {
    if (run_.world.rank() != 0) return;
    for (const auto& text : signal_.look_at(row, t == static_cast<uint64_t>(settings_.steps)))
      run_.journal->warning(t, text);
  });
}

void GrpoStep::remember_rows() {
  run_.world.together("open the log", [&] {
    if (run_.world.rank() != 0 || run_.start.step == 0) return;
    const record::RunReader reader(run_.folder / "run.h5");
    std::vector<std::vector<double>> values;
    for (const auto& column : run_.journal->columns()) values.push_back(reader.column(column));
    for (uint64_t t = 0; t < run_.start.step; ++t) {
      Row row(run_.journal->columns());
      for (size_t i = 0; i < values.size(); ++i) row.set(row.columns()[i], values[i].at(t));
      signal_.look_at(row, false);
    }
  });
}

}  // namespace compeer::train
