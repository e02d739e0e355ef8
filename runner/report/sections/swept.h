#pragma once
#include <optional>
#include <vector>

#include "report/runs/run_data.h"
#include "report/sections/sweep.h"

namespace compeer::report {

/// The sweep that these runs are, if they are one: training runs or evaluations that differ in one setting or two, and
/// in seeds. Settings that only belong to one of several plugins ("reweighting.alpha") count as part of the choice of
/// plugin; what runs of the same seed have in common, such as the model they start from, is no setting, and evaluations
/// of several models are no sweep. The metrics are those that findings are about, and the loss where there is no
/// reward.
std::optional<Sweep> swept(const std::vector<RunData>& runs);

}  // namespace compeer::report
