#pragma once
#include "comm/tree_sum.h"
#include "train/batch/records.h"
#include "train/batch/scoring.h"
#include "train/metrics/memory.h"
#include "train/metrics/reward_warnings.h"
#include "train/run.h"
#include "train/update/learning.h"
#include "train/validation.h"

namespace compeer::train {

/// The training steps of a GRPO run. Keeps a reference to the RunContext.
class GrpoStep {
 public:
  /// Collective. Selects the usable records, saves the reference weights if there is a KL term, and restores the states
  /// of rewards when a run is resumed.
  static std::unique_ptr<GrpoStep> open(RunContext& run);

  const GrpoSettings& settings() const { return settings_; }
  Training& training() { return training_; }
  Validation& validation() { return validation_; }
  RewardWarnings& warnings() { return warnings_; }
  std::vector<const Records*> records() const;  ///< training records, and those of validation if there is one

  /// Collective. Returns the memory that this rank needs at its peak.
  PeakMemory estimated_peak();
  std::vector<std::string> columns() const;  ///< names of a step's metrics
  std::vector<std::string> values() const;   ///< columns that are recorded of each completion

  /// Collective. Runs step `t` = 1, 2, ... and fills `row`; some metrics are set on rank 0 only.
  void run_step(uint64_t t, MetricRow& row);

 private:
  GrpoStep(RunContext& run, GrpoSettings settings, Records records);

  // The parts of a step, in order. Local unless marked as collective. `t`: number of the step, `u`: of the update.
  StepBatch sample(uint64_t t, StepScoring& scoring);
  static void score(StepScoring& scoring, StepBatch& batch, NumericalCheck& check);
  void resample(uint64_t t, StepBatch& batch, PhaseClock& clock);  // collective
  std::vector<LearningGroup> learning_groups(const Groups& groups) const;
  void compare_with_reference(StepBatch& batch, std::vector<LearningGroup>& learning);
  static void assign(const BatchColumns& columns, std::vector<LearningGroup>& learning);
  bool is_skipped(uint64_t t);  // collective
  // Both are collective.
  void update(uint64_t t, int64_t u, const std::vector<LearningGroup>& learning, const StepTotals& totals,
              PhaseClock& clock, MetricRow& row);
  void record(uint64_t t, const StepBatch& batch, const at::Tensor& advantages, MetricRow& row);

  // Called by the functions above. Local unless marked as collective.
  void replace_equal(uint64_t t, int64_t attempt, StepBatch& batch, PhaseClock& clock);  // collective
  UpdateStats differentiate(std::span<const LearningGroup> leaf, const UpdateContext& goal);
  grpo::Objective objective() const;
  void adapt_entropy_bonus(std::span<const double> sums, const StepTotals& totals);

  Validation::Metrics validate(uint64_t t);  // collective

  // Collective. Runs local work in a named phase whose time is logged. If it throws on one rank, all ranks throw.
  template <class Work>
  auto phase(PhaseClock& clock, const char* name, Work work) {
    return clock.time(name, [&] {
      return run_.world.run_on_all_ranks(name, [&] {
        run_.journal->phase(name);
        return work();
      });
    });
  }

  static constexpr const char* entropy_bonus = "entropy_bonus";  // name of its weight in Training::numbers

  RunContext& run_;
  const GrpoSettings settings_;
  const Records records_;
  const std::vector<std::string> score_columns_;  // logged columns of rewards, reweighting and reference KL
  const std::vector<std::string> reward_terms_;   // "shaped/LABEL": the terms of the reward sum
  const std::vector<WeightedPart> reward_parts_;  // columns of the rewards that count, for their metrics
  Training training_;
  Validation validation_;
  std::optional<Records> held_out_;  // validation records
  ModelPass policy_;                 // forward and backward pass of the trained model
  Gradients gradients_;              // reduction of the gradient over ranks
  comm::TreeSum64 sums_;             // reduction of the statistics over ranks
  RewardWarnings warnings_;
  UpdateStats first_, last_;  // this rank's statistics of the first and the last update of the step
  int64_t replaced_ = 0;      // number of groups that this rank replaced in the step
};

}  // namespace compeer::train
