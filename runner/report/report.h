#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/run_data.h"
#include "report/sections/frontier.h"
#include "report/sections/sweep.h"

namespace compeer::report {

struct Options {
  std::string title = {};           ///< "": made from the names of the runs
  std::optional<Sweep> sweep = {};  ///< shown first; without it, what the runs sweep, if they do (sections/sweep.h)
  std::vector<Frontier> frontiers = {};
};

/// The whole page: one file that needs nothing else, no script, no network; light and dark; prints.
/// A function of the runs and of what was asked of them: the same runs give the same bytes.
std::string page(const std::vector<RunData>& runs, const Options& options = {});

/// What was written, for the caller to print.
struct WrittenReport {
  std::vector<std::string> runs;     ///< their names
  std::vector<std::string> notices;  ///< what went wrong in runs or ended early, and what could not be read
  uint64_t bytes = 0;
};

/// One HTML page about these runs; of a folder that is no run itself, about the runs in it. The file appears whole or
/// not at all. Runs that failed, are unfinished or are damaged are shown as far as they go, and named as such.
/// Throws Error: a path does not exist or no run is found (exit 4), the file can't be written (exit 1).
WrittenReport write_report(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& output,
                           const Options& options = {});

}  // namespace compeer::report
