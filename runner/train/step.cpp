// GRPO: opening a run, one step (sample, score, reweight, advantages, update) and its metrics. Each rank works on its
// share of the step's groups; data of other ranks is exchanged in the calls marked as collective. A leaf of every sum
// over ranks is one group or several (settings_.groups_per_leaf).
#include "train/step.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "grpo/objective.h"
#include "inference/device.h"
#include "plugin/calls.h"
#include "train/batch/scoring.h"
#include "train/batch/step_batch.h"
#include "train/metrics/memory.h"
#include "train/metrics/step_table.h"

namespace compeer::train {

namespace {

std::string problem_of(const PromptGroup& group, const plugin::NotFinite& error) {
  return fmt::format("prompt {} (record {}): {} {}", group.index, group.example.id, error.plugin(), error.problem());
}

std::vector<std::string> with_reference(std::vector<std::string> columns, bool reference) {
  if (reference) columns.emplace_back("reference_kl");
  return columns;
}

Records::RecordFilter usable(const GrpoSettings& settings, const RunContext& run) {
  return {settings.split, Records::Reserve::completion,
          room_for_completions(settings.sampling, run.plugins->positions())};
}

// On a device all groups of a rank are one leaf, so that its gradient is copied to the host once.
GrpoSettings for_device(const RunContext& run, GrpoSettings settings) {
  if (inference::device_in_use() != "cpu")
    settings.groups_per_reduction =
        std::max(settings.groups_per_reduction, (settings.batch + run.world.size() - 1) / run.world.size());
  return settings;
}

}  // namespace

std::unique_ptr<GrpoStep> GrpoStep::open(RunContext& run) {
  const GrpoSettings settings(run.spec);
  const auto prompts = static_cast<uint64_t>(settings.steps * settings.batch);
  auto records =
      Records::shuffled(run.world, *run.plugins, run.spec.table("dataset"), usable(settings, run), run.seed(), prompts);
  std::unique_ptr<GrpoStep> step(new GrpoStep(run, settings, std::move(records)));
  if (run.start.step > 0)
    run.world.run_on_all_ranks("load", [&] { load_reward_states(*run.plugins, run.start.folder); });
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
      sums_(run.world, settings_.leaves(), UpdateStats::n_sums),
      warnings_(run, static_cast<uint64_t>(settings_.steps)) {
  // Has no effect if a checkpoint was loaded that contains the bonus.
  if (settings_.adapts_entropy_bonus()) training_.numbers.emplace(entropy_bonus, settings_.objective.entropy_bonus);
}

std::vector<const Records*> GrpoStep::records() const {
  std::vector<const Records*> all{&records_};
  if (held_out_) all.push_back(&*held_out_);
  return all;
}

PeakMemory GrpoStep::estimated_peak() {
  return settings_.estimated_peak(gradients_.mine().count, longest_of(run_, records_, false));
}

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
  if (settings_.adapts_entropy_bonus()) names.emplace_back(entropy_bonus);
  for (const auto& name : PhaseClock::columns(phases)) names.push_back(name);
  for (const auto& name : validation_.columns()) names.push_back(name);
  return names;
}

std::vector<std::string> GrpoStep::values() const {
  auto names = score_columns_;
  names.emplace_back("advantage");
  return names;
}

void GrpoStep::run_step(uint64_t t, MetricRow& row) {
  PhaseClock clock;
  auto& check = training_.numerical_check;
  StepScoring scoring(*run_.plugins, t, settings_.split);  // asynchronous rewards score while sampling continues
  StepBatch batch =
      phase(clock, "rollout", [&] { return sample(t, scoring); });  // G completions per prompt, with log-probs
  phase(clock, "score", [&] { score(scoring, batch, check); });     // rewards and their reweighting: Eq. 5-7
  resample(t, batch, clock);  // replaces groups whose rewards are all equal; collective

  auto learning = learning_groups(batch.groups);
  if (settings_.reference) phase(clock, "reference", [&] { compare_with_reference(batch, learning); });  // KL
  const StepTotals totals = totals_over_ranks(run_.world, learning, settings_);                          // collective
  const at::Tensor advantages =
      advantages_over_ranks(run_.world, batch.columns, settings_, reward_terms_);  // Eq. 3; collective
  if (!batch.groups.empty())
    batch.columns.set("advantage", advantages.narrow(0, batch.groups[0].index, std::ssize(batch.groups)));
  assign(batch.columns, learning);

  const bool skipped = is_skipped(t);  // because of non-finite rewards; collective
  for (int64_t u = 0; u < settings_.updates && !skipped; ++u)
    update(t, u, learning, totals, clock, row);  // Eq. 2; collective

  update_reward_states(run_.world, *run_.plugins, batch);         // updates rewards with a state; collective
  clock.time("log", [&] { record(t, batch, advantages, row); });  // collective
  row.set("tokens_per_second", row.get("tokens") / clock.elapsed());
  clock.write(row);
}

// Reads this rank's prompts of the step and samples their completions.
StepBatch GrpoStep::sample(uint64_t t, StepScoring& scoring) {
  const auto leaves = gradients_.mine();
  const int64_t start = leaves.first * settings_.groups_per_reduction;
  const int64_t count = std::clamp<int64_t>(settings_.batch - start, 0, leaves.count * settings_.groups_per_reduction);
  const auto before = (t - 1) * static_cast<uint64_t>(settings_.batch);
  auto groups = records_.read(start, count, [&](int64_t i) { return records_.at(before + static_cast<uint64_t>(i)); });
  roll_out(*run_.plugins, groups, settings_.sampling, settings_.group_size, {run_.seed(), static_cast<uint32_t>(t)},
           [&](const PromptGroup& group) { scoring.begin(group); });
  return {std::move(groups), settings_.group_size};
}

// Scores the batch. Non-finite rewards are an error, or, if such steps are skipped, are reported to `check`; the
// columns of their group are then NaN.
void GrpoStep::score(StepScoring& scoring, StepBatch& batch, NumericalCheck& check) {
  if (!check.skips_steps()) return scoring.finish(batch, nullptr);
  scoring.finish(
      batch, [&](const PromptGroup& group, const plugin::NotFinite& error) { check.report(problem_of(group, error)); });
}

// A group with equal rewards has no gradient; it is replaced by a group for another prompt. Every rank makes all
// attempts, because each of them is collective.
void GrpoStep::resample(uint64_t t, StepBatch& batch, PhaseClock& clock) {
  replaced_ = 0;
  for (int64_t attempt = 1; attempt <= settings_.resample; ++attempt) replace_equal(t, attempt, batch, clock);
}

void GrpoStep::replace_equal(uint64_t t, int64_t attempt, StepBatch& batch, PhaseClock& clock) {
  const auto step = static_cast<uint32_t>(t), before = static_cast<uint32_t>(attempt * settings_.batch);
  const auto other_record = [&](int64_t i) {
    return static_cast<int64_t>(below(static_cast<uint64_t>(records_.size()), run_.seed(), Stream::replacement, step,
                                      before + static_cast<uint32_t>(i)));
  };
  StepScoring scoring(*run_.plugins, t, settings_.split);
  StepBatch others = phase(clock, "rollout", [&] {
    Groups drawn;
    for (size_t g = 0; g < batch.groups.size(); ++g) {
      if (all_equal(batch.columns.row("learned", g)))
        drawn.push_back(records_.read(batch.groups[g].index, 1, other_record).front());
    }
    roll_out(*run_.plugins, drawn, settings_.sampling, settings_.group_size, {run_.seed(), step, before},
             [&](const PromptGroup& group) { scoring.begin(group); });
    return StepBatch(std::move(drawn), settings_.group_size);
  });
  phase(clock, "score", [&] { score(scoring, others, training_.numerical_check); });
  replaced_ += std::ssize(others.groups);
  for (size_t g = 0; g < others.groups.size(); ++g)
    batch.replace(static_cast<size_t>(others.groups[g].index - batch.groups.front().index), others, g);
}

std::vector<LearningGroup> GrpoStep::learning_groups(const Groups& groups) const {
  std::vector<LearningGroup> learning;
  for (const PromptGroup& group : groups) learning.emplace_back(group, settings_.mask_truncated);
  return learning;
}

// Computes log-probs under the initial weights, and subtracts the KL term from the rewards if it belongs there.
void GrpoStep::compare_with_reference(StepBatch& batch, std::vector<LearningGroup>& learning) {
  training_.with_reference_weights(gradients_.next_leaf_buffer(), [&] {
    const at::NoGradGuard no_grad;
    for (LearningGroup& group : learning) {
      group.reference = policy_.forward(group.batch).log_prob;
      comm::mark_progress();
    }
  });
  gradients_.free_buffers();
  batch.columns.set_unknown("reference_kl");
  for (size_t g = 0; g < learning.size(); ++g) {
    const auto kl = sampled_kl(learning[g], settings_.objective);
    const auto learned = batch.columns.row("learned", g);
    for (size_t i = 0; i < kl.size(); ++i) learned[i] -= settings_.kl_reward * kl[i];
    std::ranges::copy(kl, batch.columns.row("reference_kl", g).begin());
  }
}

void GrpoStep::assign(const BatchColumns& columns, std::vector<LearningGroup>& learning) {
  for (size_t g = 0; g < learning.size(); ++g) {
    learning[g].rewards = columns.row("learned", g);
    learning[g].advantages = columns.row("advantage", g);
  }
}

// True if the step is skipped because any rank has non-finite rewards.
bool GrpoStep::is_skipped(uint64_t t) {
  auto& check = training_.numerical_check;
  const bool skipped = check.skips_steps() && check.any_reported();
  if (skipped) check.stop_or_skip(t);
  return skipped;
}

// Update u = 0, 1, ... of the step: computes each group's gradient, sums them over all ranks and steps the optimizer.
void GrpoStep::update(uint64_t t, int64_t u, const std::vector<LearningGroup>& learning, const StepTotals& totals,
                      PhaseClock& clock, MetricRow& row) {
  const auto count = (t - 1) * static_cast<uint64_t>(settings_.updates) + static_cast<uint64_t>(u);
  const UpdateContext goal{objective(), totals.step, {run_.seed(), static_cast<uint32_t>(count)}};
  last_ = {};
  phase(clock, "train", [&] {
    for (auto group = learning.begin(); group != learning.end();) {
      const int64_t leaf = group->source->index / settings_.groups_per_reduction;
      const auto end = std::find_if(group, learning.end(), [&](const LearningGroup& other) {
        return other.source->index / settings_.groups_per_reduction != leaf;
      });
      const auto stats = differentiate({group, end}, goal);
      training_.numerical_check.check(leaf_text("prompt", leaf, settings_.groups_per_reduction, settings_.batch),
                                      stats.sum[UpdateStats::loss], training_.parameters.finite());
      gradients_.add(leaf, gradients_.next_leaf_buffer());
      sums_.add(leaf, stats.sum);
      last_ += stats;
      group = end;
    }
  });
  if (u == 0) first_ = last_;
  const auto sums = clock.time("reduce", [&] { return sums_.finish(); });
  const auto done = training_.update(t, sums[UpdateStats::loss], gradients_, clock);
  record_update(sums, totals, settings_.reference, row);
  if (settings_.adapts_entropy_bonus()) row.set(entropy_bonus, training_.numbers.at(entropy_bonus));
  row.set("grad_norm", done.gradient_norm);
  row.set("lr", done.lr);
  if (u + 1 == settings_.updates) gradients_.free_buffers();  // frees memory for the repacked weights of rollouts
  if (settings_.adapts_entropy_bonus() && u + 1 == settings_.updates) adapt_entropy_bonus(sums, totals);
}

// Accumulates the gradients of the groups of one leaf in the buffer of the sum over ranks.
UpdateStats GrpoStep::differentiate(std::span<const LearningGroup> leaf, const UpdateContext& goal) {
  const auto ready = gradients_.early_adder();
  UpdateStats stats;
  for (size_t g = 0; g < leaf.size(); ++g) {
    const bool last = g + 1 == leaf.size();
    const Accumulation into{gradients_.next_leaf_buffer(), g > 0, true, !last, last ? ready : nullptr};
    stats += accumulate_gradient(policy_, training_.parameters, leaf[g], goal, into);
    comm::mark_progress();
  }
  return stats;
}

grpo::Objective GrpoStep::objective() const {
  auto now = settings_.objective;
  if (settings_.adapts_entropy_bonus()) now.entropy_bonus = training_.numbers.at(entropy_bonus);
  return now;
}

void GrpoStep::adapt_entropy_bonus(std::span<const double> sums, const StepTotals& totals) {
  double& bonus = training_.numbers.at(entropy_bonus);
  const double entropy = sums[UpdateStats::entropy] / std::max(totals.step.size.tokens, 1.0);
  bonus = grpo::next_entropy_bonus(bonus, entropy, settings_.entropy_control);
}

// Returns metrics of completions for the validation prompts, on rank 0. All validations use the random numbers of step
// 0, so that they differ in the model only. Non-finite scores do not skip a training step.
Validation::Metrics GrpoStep::validate(uint64_t t) {
  const auto mine = comm::leaves_of_rank(held_out_->size(), run_.world.size(), run_.world.rank());
  const auto group_size = run_.spec.table("validation").integer("group_size");
  const auto batch = run_.world.run_on_all_ranks("validate", [&] {
    run_.journal->phase("validate");
    NumericalCheck check(run_);
    StepScoring scoring(*run_.plugins, t, run_.spec.table("validation").text("split"));
    auto groups = held_out_->read(mine.first, mine.count, [](int64_t i) { return i; });
    roll_out(*run_.plugins, groups, settings_.sampling, group_size, {run_.seed(), 0},
             [&](const PromptGroup& group) { scoring.begin(group); });
    StepBatch drawn(std::move(groups), group_size);
    score(scoring, drawn, check);
    return drawn;
  });
  const auto columns = logged_score_columns(*run_.plugins);
  const auto table = StepTable::gather(run_.world, batch, columns, {});
  return run_.world.rank() == 0 ? table.metrics(columns) : Validation::Metrics();
}

void GrpoStep::record(uint64_t t, const StepBatch& batch, const at::Tensor& advantages, MetricRow& row) {
  record_advantages(advantages, row);
  run_.world.run_on_all_ranks("log", [&] { run_.journal->rollouts(t, *run_.plugins, batch); });
  auto& check = training_.numerical_check;
  if (check.skips_steps()) row.set("left_out", check.take_skipped());
  enum Note : size_t { rollout_difference, ratio_distance, replaced, memory };
  const double mine[] = {first_.rollout_difference, last_.ratio_distance, static_cast<double>(replaced_),
                         peak_memory()};
  const auto table = StepTable::gather(run_.world, batch, score_columns_, mine);
  if (run_.world.rank() == 0) {
    for (const auto& [name, value] : table.metrics(score_columns_)) row.set(name, value);
    for (const auto& part : reward_parts_) row.set(StepTable::share_column(part), table.variance_share(part));
    row.set("rollout_trainer_max_diff", table.largest(rollout_difference));
    row.set("ratio_distance", table.largest(ratio_distance));
    row.set("tokens", table.tokens());
    row.set("peak_memory", table.largest(memory));
    if (settings_.resample > 0) row.set("replaced", table.sum(replaced));
  }
}

void run_grpo(RunContext& run) {
  const auto step = GrpoStep::open(run);
  report_memory(run, step->estimated_peak());
  const auto steps = static_cast<uint64_t>(step->settings().steps);
  open_journal(run, "grpo", step->columns(), step->values(), steps, step->records());
  step->warnings().read_earlier_rows();
  train_loop(
      run, step->training(), step->validation(), steps, [&](uint64_t t, MetricRow& row) { step->run_step(t, row); },
      [&](uint64_t t, const MetricRow& row) {
        step->warnings().check(t, row, t == steps || step->validation().is_over(t));
      });
}

double memory_of_grpo(RunContext& run) { return rank_memory(run, GrpoStep::open(run)->estimated_peak()).all(); }

}  // namespace compeer::train
