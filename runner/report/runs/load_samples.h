#pragma once
#include <filesystem>

#include "report/runs/run_data.h"

namespace compeer::report {

/// Groups kept for showing: of an evaluation the first 24 of its rollouts, of a training run the first two of the
/// first and of the last step. None is chosen by what is in it.
///
/// For an evaluation also fills `per_prompt` (unless it sampled more than 50,000 completions).
/// Throws Error (exit 4) if the rollouts can't be read.
void load_samples(const std::filesystem::path& folder, RunData& run);

}  // namespace compeer::report
