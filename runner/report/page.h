#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/runs/run_data.h"
#include "report/sections/frontier.h"
#include "report/sections/sweep.h"

namespace compeer::report {

/// The whole page: one file that needs nothing else, no script, no network; light and dark; prints.
/// A function of the runs and of what was asked of them: the same runs give the same bytes.
std::string page(const std::vector<RunData>& runs, const std::string& title = "",
                 const std::optional<Sweep>& sweep = {}, const std::vector<Frontier>& frontiers = {});

}  // namespace compeer::report
