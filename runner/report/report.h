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
  std::string title = {};  ///< title of the page; empty: derived from the names of the runs
  /// Shown first. Empty: the sweep that the runs form, if they do (`swept`).
  std::optional<Sweep> sweep = {};
  std::vector<Frontier> frontiers = {};
};

/// Returns the whole page as one self-contained HTML document: no scripts, no network access, light and dark,
/// printable. Deterministic: the same runs and options give the same bytes.
std::string page(const std::vector<RunData>& runs, const Options& options = {});

/// Result of `write_report`, for the caller to print.
struct WrittenReport {
  std::vector<std::string> runs;     ///< names of the runs on the page
  std::vector<std::string> notices;  ///< problems of the runs: failed, unfinished, unreadable files
  uint64_t bytes = 0;                ///< size of the file
};

/// Writes one HTML page about these runs; a folder that is not a run stands for the runs in it. The file is written
/// atomically. Failed, unfinished and damaged runs are shown as far as possible and named. Throws Error if a path does
/// not exist, no run is found or `output` is a folder (exit 4), or if the file can't be written (exit 1).
WrittenReport write_report(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& output,
                           const Options& options = {});

}  // namespace compeer::report
