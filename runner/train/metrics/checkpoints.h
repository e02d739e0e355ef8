#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "comm/world.h"
#include "train/run_plugins.h"

namespace compeer::train {

class Training;

/// Meets the other ranks; rank 0 writes. Weights, tokenizer, optimizer, reference, the form of examples; because random
/// numbers are functions of the step, the step is the rest of the state.
void save_checkpoint(comm::World& world, const std::filesystem::path& run, uint64_t step, RunPlugins& plugins,
                     Training& training, uint64_t keep);

/// When a checkpoint is due: every so many steps and after so many minutes, whichever comes first, and after the last
/// step. The clock decides when state is written, never what is in it.
class CheckpointTimes {
 public:
  /// `settings`: the table "checkpoint" of a spec. `steps`: of the run.
  CheckpointTimes(const Settings& settings, uint64_t steps);

  /// Whether one is due after `step`; rank 0's clock decides for all. Meets the other ranks.
  bool due(comm::World& world, uint64_t step) const;
  /// One was written: the minutes are counted from here.
  void written() { written_ = std::chrono::steady_clock::now(); }

 private:
  uint64_t steps_, every_;
  double minutes_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

/// Where a run begins.
struct Start {
  uint64_t step = 0;                     ///< its checkpoint's; 0: from the beginning
  std::filesystem::path folder;          ///< of the checkpoint
  std::vector<std::string> passed_over;  ///< rank 0: newer checkpoints that it can't go on from, and why
};

/// The newest checkpoint that a run can go on from, as rank 0 sees it, on all ranks: whole, and run.h5 has the rows of
/// its steps. Those passed over are told on standard error. `spec_file`: spec.json. Throws Error (exit 4) if none of
/// several is fit, and if run.h5 is of a spec that this run never had: from the beginning nothing is begun that would
/// replace what is there.
Start find_start(comm::World& world, const std::filesystem::path& run, bool resume, const nlohmann::json& spec_file);

}  // namespace compeer::train
