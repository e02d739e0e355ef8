#pragma once
#include <string>
#include <vector>

#include "report/run_data.h"

namespace compeer::report {

/// The whole page: one file that needs nothing else, no script, no network; light and dark; prints.
/// A function of the runs alone: the same runs give the same bytes.
std::string page(const std::vector<RunData>& runs, const std::string& title = "");

}  // namespace compeer::report
