#pragma once
#include "comm/tree_sum.h"
#include "train/batch/records.h"
#include "train/metrics/memory.h"
#include "train/metrics/reward_signal.h"
#include "train/run.h"
#include "train/update/pooled.h"
#include "train/validation.h"

namespace compeer::train {

/// One step of GRPO after the other: `grpo_step.cpp` is the algorithm, `grpo_row.cpp` what is written down of it.
class GrpoStep {
 public:
  explicit GrpoStep(Run& run);

  const GrpoSettings& settings() const { return settings_; }
  Training& training() { return training_; }
  Validation& validation() { return validation_; }
  std::vector<const Records*> records() const;  ///< that it reads

  Demand demand();                           ///< collective
  std::vector<std::string> columns() const;  ///< numbers that are logged of a step
  std::vector<std::string> values() const;   ///< and of each completion

  /// Rank 0: what the rows of an earlier start say. Once the journal is open.
  void remember_rows();

  void take(uint64_t t, Row& row);

 private:
  Records::Wanted wanted(const std::string& split) const;
  std::vector<ScoredGroup> sample(uint64_t t);
  void judge(uint64_t t, ScoredGroup& group);
  Validation::Figures validate(uint64_t t);
  void replace(uint64_t t, int64_t attempt, std::vector<ScoredGroup>& groups, Clock& clock);
  void ask_reference(std::vector<ScoredGroup>& groups, std::vector<LearningGroup>& learning);
  void update(uint64_t t, uint64_t count, const std::vector<LearningGroup>& learning, const Pooled& pooled,
              Clock& clock, Row& row);

  grpo::Objective objective() const;
  std::string place_of(int64_t leaf) const;
  void move_bonus(std::span<const double> sums, const Pooled& pooled);
  kernels::TokenLogprobs forward(const GroupBatch& batch);
  Passes passes();

  void write_advantages(const Pooled& pooled, Row& row) const;
  void write_update(std::span<const double> sums, const Pooled& pooled, const Optimizer::Update& done, Row& row) const;
  void tell_signal(uint64_t t, const Row& row);
  void write_rest(uint64_t t, const std::vector<ScoredGroup>& groups, const std::vector<LearningGroup>& learning,
                  Row& row);

  // Work that all ranks do alike and fail at together.
  template <class Work>
  auto timed(Clock& clock, const char* phase, Work work) {
    return clock.time(phase, [&] {
      return run_.world.together(phase, [&] {
        run_.journal->phase(phase);
        return work();
      });
    });
  }

  static constexpr const char* entropy_bonus = "entropy_bonus";

  Run& run_;
  const GrpoSettings settings_;
  const Records records_;
  const std::vector<std::string> score_columns_;
  Training training_;
  Validation validation_;
  std::optional<Records> held_out_;  // what validation looks at
  comm::TreeSum gradients_;
  comm::TreeSum64 sums_;
  RewardSignal signal_;
  double furthest_ = 0;    // this rank's largest |ratio - 1| in the last update
  int64_t replaced_ = 0;   // groups that it replaced in the step
  double difference_ = 0;  // and |log-prob now - log-prob when sampled| in the first
};

}  // namespace compeer::train
