#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace compeer::app {

/// What is wrong with a command line that CLI11 refused, in our words (exit 2): an unknown command or option with the
/// nearest name, whichever comes first; else CLI11's own complaint.
Error usage_error(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& complaint);

}  // namespace compeer::app
