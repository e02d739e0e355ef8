#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "record/run_file.h"

/// `compeer log`: what a run recorded. All of it works on live, crashed and finished runs.
namespace compeer::app {

/// The run folder meant by `run`: a folder, the run.h5 in one, or the name of a run in results/. Otherwise an Error
/// (exit 4) that suggests the nearest run.
std::filesystem::path find_run(const std::string& run);

/// Its metrics. Throws Error (exit 4) if nothing was recorded yet, with the reason if the run failed.
record::RunReader open_run(const std::filesystem::path& folder);

struct LogShow {
  std::string run;
  bool json = false;
  std::vector<std::string> columns;  ///< empty: those that tell most
  bool all = false;                  ///< every column, in tables below each other, and every figure of the summary
  uint64_t last = 20;                ///< rows; 0: all
  size_t width = 0;                  ///< of the terminal; 0: there is none
  double seconds = 600;              ///< that reading may take; so of the others
};
/// A table of the newest rows, and the events; or all of it as one JSON object.
int log_show(const LogShow& options, std::ostream& out);

struct LogExport {
  std::vector<std::string> runs;
  std::string csv = {}, figures = {};  ///< a file, or "-"
  std::string tensorboard = {};        ///< a folder
  std::string rollouts = {};           ///< a file, or "-"
  bool tokens = false;                 ///< with the rollouts
  double seconds = 600;                ///< for all of them
};
/// Rows (of several runs with the name of each in front) and figures as CSV; files for TensorBoard; completions as JSON
/// lines (log_export.h)
int log_export(const LogExport& options, std::ostream& out);

struct LogGroup {
  std::string run;
  uint64_t step = 0;  ///< 0: the last
  uint64_t prompt = 0;
  bool tokens = false, json = false;
  double seconds = 600;
};
/// One prompt's completions, as they were sampled, rewarded and weighed. log_group.cpp
int log_group(const LogGroup& options, std::ostream& out);

struct LogDiff {
  std::string before, after;
  bool json = false;
  double seconds = 120;
};
/// Settings that differ, and metrics side by side with the difference and its interval. log_diff.cpp
int log_diff(const LogDiff& options, std::ostream& out);

struct LogVerify {
  std::string run;
  bool json = false;
  double seconds = 120;  ///< for each check
};
/// One line per check. 0 if all are good, else 4. log_verify.cpp
int log_verify(const LogVerify& options, std::ostream& out);

}  // namespace compeer::app
