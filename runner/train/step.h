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

/// The steps of a GRPO run.
class GrpoStep {
 public:
  /// Finds the records that can be used and keeps the reference's weights. Meets the other ranks.
  static std::unique_ptr<GrpoStep> open(RunContext& run);

  const GrpoSettings& settings() const { return settings_; }
  Training& training() { return training_; }
  Validation& validation() { return validation_; }
  RewardWarnings& warnings() { return warnings_; }
  std::vector<const Records*> records() const;  ///< that it reads

  /// What a rank's memory must hold. Meets the other ranks.
  PeakMemory demand();
  std::vector<std::string> columns() const;  ///< metrics of a step
  std::vector<std::string> values() const;   ///< numbers that are kept of each completion

  /// One step. Meets the other ranks.
  void take(uint64_t t, MetricRow& row);

 private:
  GrpoStep(RunContext& run, GrpoSettings settings, Records records);

  // The parts of a step, in their order. Local unless they say otherwise.
  StepBatch sample(uint64_t t, StepScoring& scoring);
  static void score(StepScoring& scoring, StepBatch& batch, NumericalCheck& check);
  void resample(uint64_t t, StepBatch& batch, PhaseClock& clock);  // meets the other ranks
  std::vector<LearningGroup> learning_groups(const Groups& groups) const;
  void compare_with_reference(StepBatch& batch, std::vector<LearningGroup>& learning);
  static void assign(const BatchColumns& columns, std::vector<LearningGroup>& learning);
  bool is_skipped(uint64_t t);  // meets the other ranks
  // Both meet the other ranks.
  void update(uint64_t t, int64_t u, const std::vector<LearningGroup>& learning, const StepTotals& totals,
              PhaseClock& clock, MetricRow& row);
  void record(uint64_t t, const StepBatch& batch, const at::Tensor& advantages, MetricRow& row);

  // Parts of these, local unless they say otherwise.
  void replace_equal(uint64_t t, int64_t attempt, StepBatch& batch, PhaseClock& clock);  // meets the other ranks
  UpdateStats differentiate(std::span<const LearningGroup> leaf, const UpdateGoal& goal);
  grpo::Objective objective() const;
  void adapt_entropy_bonus(std::span<const double> sums, const StepTotals& totals);

  Validation::Metrics validate(uint64_t t);  // meets the other ranks

  // Local work of all ranks, in a named phase whose time is logged. If it fails on one rank, it fails on all.
  template <class Work>
  auto phase(PhaseClock& clock, const char* name, Work work) {
    return clock.time(name, [&] {
      return run_.world.together(name, [&] {
        run_.journal->phase(name);
        return work();
      });
    });
  }

  static constexpr const char* entropy_bonus = "entropy_bonus";

  RunContext& run_;
  const GrpoSettings settings_;
  const Records records_;
  const std::vector<std::string> score_columns_;  // that are logged
  const std::vector<std::string> reward_terms_;   // columns of the rewards as they enter the sum
  const std::vector<WeightedPart> reward_parts_;
  Training training_;
  Validation validation_;
  std::optional<Records> held_out_;  // for validation
  ModelPass policy_;
  Gradients gradients_;
  comm::TreeSum64 sums_;
  RewardWarnings warnings_;
  UpdateStats first_, last_;  // this rank's largest values in the first and the last update of the step
  int64_t replaced_ = 0;      // groups that this rank replaced in the step
};

}  // namespace compeer::train
