#pragma once
#include "grpo/objective.h"
#include "tools/verify/values.h"

/// Helpers shared by the checks of policy losses and of whole updates.
namespace compeer::verify {

/// Returns the numbers of a (nested) JSON list as a float64 tensor; null becomes NaN, true and false become 1 and 0.
/// Returns an undefined tensor for null.
at::Tensor reference_numbers(const nlohmann::json& value);

/// Converts the settings of a reference file, which have the names of the trainer that made it, to our table `grpo`, and
/// returns their objective as a run has it. Throws Error (exit 4) for an unknown loss.
grpo::Objective reference_objective(const nlohmann::json& settings);

/// Returns the number of tokens that the loss is averaged over. `counted`: tokens of this batch, which is one of
/// several equal micro-batches of a step; losses of the dapo kind average over the whole step.
double reference_tokens(const nlohmann::json& settings, const grpo::Objective& objective, double counted);

}  // namespace compeer::verify
