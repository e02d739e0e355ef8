#pragma once
#include "grpo/objective.h"
#include "tools/verify/values.h"

// Part of `compeer verify`, which compares this program with reference files made by other libraries: helpers for the
// checks of policy losses and of whole GRPO steps. The reference files were made by another trainer, TRL.
namespace compeer::verify {

/// Returns the numbers of a (nested) JSON list as a float64 tensor with the shape of the list. Elements that are null
/// become NaN, true and false become 1 and 0. Returns an undefined tensor if `value` itself is null.
at::Tensor reference_numbers(const nlohmann::json& value);

/// Translates the settings of a reference file, which have the other trainer's names ("loss_type", "epsilon_low"), to
/// ours, and returns the objective of a run with these settings. Throws Error (exit code 4: invalid data) for an
/// unknown loss.
grpo::Objective reference_objective(const nlohmann::json& settings);

/// Returns the number of tokens of a whole step, the divisor of the loss. `counted`: number of unmasked tokens of this
/// batch, which is one of several equal micro-batches of the step. For the losses dapo, cispo and vespo the number
/// comes from the reference's settings instead.
double reference_tokens(const nlohmann::json& settings, const grpo::Objective& objective, double counted);

}  // namespace compeer::verify
