#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "record/run_file.h"

/// `compeer log`: shows and exports what a run recorded. All commands work on live, crashed and finished runs, and read
/// HDF5 files in a child process with a time limit.
namespace compeer::app {

/// Returns the run folder that `run` names: a folder, the run.h5 in one, or a name in results/. Throws Error (exit 4)
/// with the nearest name if there is none.
std::filesystem::path find_run(const std::string& run);

/// Opens the run's run.h5. Throws Error (exit 4) if it does not exist, with the reason if the run failed.
record::RunReader open_run(const std::filesystem::path& folder);

struct LogShow {
  std::string run;
  bool json = false;
  std::vector<std::string> columns;  ///< empty: the key figures; in JSON all columns
  bool all = false;                  ///< every column, in several tables, and every figure of the summary
  uint64_t last = 20;                ///< number of rows to show, the newest; 0: all
  size_t width = 0;                  ///< characters per line of the terminal; 0: output is not a terminal
  double timeout_seconds = 600;      ///< time limit for reading the run
};
/// Prints a table of the newest rows, and the events; or both as one JSON object. Returns 0.
int log_show(const LogShow& options, std::ostream& out);

struct LogExport {
  std::vector<std::string> runs;
  std::string csv = {}, figures = {};  ///< output files; "-": standard output; empty: none
  std::string tensorboard = {};        ///< output folder; empty: none
  std::string rollouts = {};           ///< output file; "-": standard output; empty: none
  bool tokens = false;                 ///< include token ids and log-probabilities in the rollouts
  double timeout_seconds = 600;        ///< time limit for the whole export
};
/// Exports rows and figures as CSV (rows of several runs with the run's name in the first column), event files for
/// TensorBoard, and completions as JSON lines (log_export.h). Returns 0. Throws Error (exit 2) if no output is named,
/// or two go to standard output.
int log_export(const LogExport& options, std::ostream& out);

struct LogGroup {
  std::string run;
  uint64_t step = 0;    ///< 0: the newest
  uint64_t prompt = 0;  ///< number of the prompt within the step
  bool tokens = false, json = false;
  double timeout_seconds = 600;
};
/// Prints one prompt's completions with tokens, rewards and advantages. Returns 0. Throws Error (exit 2) for a missing
/// step or prompt, 4 without rollouts. log_group.cpp
int log_group(const LogGroup& options, std::ostream& out);

struct LogDiff {
  std::string before, after;
  bool json = false;
  double timeout_seconds = 120;
};
/// Prints the settings that differ, and metrics of both runs with the difference and its interval. Returns 0.
/// log_diff.cpp
int log_diff(const LogDiff& options, std::ostream& out);

struct LogVerify {
  std::string run;
  bool json = false;
  double timeout_seconds = 120;  ///< time limit of each check
};
/// Checks that the files of a run are intact and consistent, and prints one line per check. Returns 0 if all checks
/// pass, 1 if one failed because of an I/O error, otherwise 4. log_verify.cpp
int log_verify(const LogVerify& options, std::ostream& out);

}  // namespace compeer::app
