#pragma once
#include "grpo/objective.h"
#include "tools/verify/values.h"

/// What the checks of policy losses and of whole updates share.
namespace compeer::verify {

/// Numbers of a JSON list, or of lists of lists, as float64; null is NaN, true and false are 1 and 0. Undefined if the
/// value is null itself.
at::Tensor reference_numbers(const nlohmann::json& value);

/// The objective of a reference file's settings, which have the names of the trainer that made it: they are translated
/// into our table `grpo`, which becomes an objective as in a run. An unknown loss is an Error
/// (exit 4).
grpo::Objective reference_objective(const nlohmann::json& settings);

/// The number of tokens that a loss is a mean of, for a batch of `counted` tokens that is one of the equal parts of a
/// step: losses of the dapo kind have it from the whole step.
double reference_tokens(const nlohmann::json& settings, const grpo::Objective& objective, double counted);

}  // namespace compeer::verify
