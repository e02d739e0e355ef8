#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/run_data.h"
#include "report/sections/frontier.h"
#include "report/sections/sweep.h"

/// The entry point of the reports: one HTML page about any number of runs, finished or not, written by `compeer report`
/// and at the end of scripts and runs.
namespace compeer::report {

/// Contents of a page besides the runs.
struct Options {
  std::string title = {};  ///< title of the page; empty: derived from the names of the runs
  /// Table of metrics by settings, shown first. Not set: computed from the runs if they differ only in one or two
  /// settings and in seeds.
  std::optional<Sweep> sweep = {};
  std::vector<Frontier> frontiers = {};  ///< pairs of metrics to draw against each other
};

/// Returns the whole page about these loaded runs as one self-contained HTML document: no scripts, no network access,
/// light and dark, printable. Deterministic: the same runs and options give the same bytes.
std::string page(const std::vector<RunData>& runs, const Options& options = {});

/// Facts about a written page, to print.
struct WrittenReport {
  std::vector<std::string> runs;     ///< names of the runs on the page
  std::vector<std::string> notices;  ///< problems of the runs: failed, unfinished, unreadable files
  uint64_t bytes = 0;                ///< size of the file
};

/// Loads runs and writes one HTML page about them to the file `output`, atomically. `runs`: run folders; any other
/// folder is replaced by the run folders directly in it. Failed, unfinished and damaged runs are shown as far as
/// possible and named. Throws Error (exit code 4: invalid data) if a path does not exist, no run is found or `output`
/// is a folder, (exit code 1: a failure of the system) if the file can't be written.
WrittenReport write_report(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& output,
                           const Options& options = {});

}  // namespace compeer::report
