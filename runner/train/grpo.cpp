#include "train/grpo_step.h"
#include "train/metrics/memory.h"

namespace compeer::train {

void run_grpo(Run& run) {
  GrpoStep step(run);
  tell_memory(run, step.demand());
  const auto steps = static_cast<uint64_t>(step.settings().steps);
  open_journal(run, "grpo", step.columns(), step.values(), steps, step.records());
  step.remember_rows();
  train_loop(run, step.training(), step.validation(), steps, [&](uint64_t t, Row& row) { step.take(t, row); });
}

double memory_of_grpo(Run& run) { return rank_memory(run, GrpoStep(run).demand()).all(); }

}  // namespace compeer::train
