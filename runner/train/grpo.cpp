#include "train/metrics/memory.h"
#include "train/step.h"

namespace compeer::train {

void run_grpo(RunContext& run) {
  const auto step = GrpoStep::open(run);
  report_memory(run, step->demand());
  const auto steps = static_cast<uint64_t>(step->settings().steps);
  open_journal(run, "grpo", step->columns(), step->values(), steps, step->records());
  step->read_earlier_rows();
  train_loop(
      run, step->training(), step->validation(), steps, [&](uint64_t t, MetricRow& row) { step->take(t, row); },
      [&](uint64_t t, const MetricRow& row) { step->check_answers(t, row); });
}

double memory_of_grpo(RunContext& run) { return rank_memory(run, GrpoStep::open(run)->demand()).all(); }

}  // namespace compeer::train
