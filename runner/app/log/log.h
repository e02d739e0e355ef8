#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "record/run_file.h"

// `compeer log`: shows and exports the records of runs. A run's folder contains run.h5 (a row of metrics per step, and
// events), rollouts (completions with rewards) and summary.json (figures: results with intervals). All commands work on
// live, crashed and finished runs. They read HDF5 files in a child process with a time limit, because a damaged file
// may crash or hang the library.
namespace compeer::app {

/// Returns the run folder that `run` names: a folder, the run.h5 in one, or a name in results/. Throws Error (exit
/// code 4: invalid data) with the nearest name if it does not exist.
std::filesystem::path find_run(const std::string& run);

/// Opens run.h5 in the run's folder. Throws Error (exit code 4) if it does not exist, with the reason if the run
/// failed.
record::RunReader open_run(const std::filesystem::path& folder);

/// Options of `compeer log show`.
struct LogShow {
  std::string run;                   ///< folder or name of the run, as for find_run()
  bool json = false;                 ///< print one JSON object
  std::vector<std::string> columns;  ///< metrics to show; empty: the most informative ones, in JSON all
  bool all = false;                  ///< every column, in several tables, and every figure of the summary
  uint64_t last = 20;                ///< number of newest rows to show; 0: all rows
  size_t width = 0;                  ///< characters per line of the terminal; 0: output is not a terminal
  double timeout_seconds = 600;      ///< time limit for reading the run
};
/// Prints a table of the newest rows, and the events; with `all` also the summary's figures; or rows and events as one
/// JSON object. Returns 0.
int log_show(const LogShow& options, std::ostream& out);

/// Options of `compeer log export`.
struct LogExport {
  std::vector<std::string> runs;       ///< folders or names, as for find_run()
  std::string csv = {}, figures = {};  ///< CSV files for rows and for figures; "-": standard output; empty: none
  std::string tensorboard = {};        ///< folder for TensorBoard files; empty: none
  std::string rollouts = {};           ///< file for completions; "-": standard output; empty: none
  bool tokens = false;                 ///< include token ids and log-probabilities in the rollouts
  double timeout_seconds = 600;        ///< time limit for the whole export
};
/// Exports rows and figures as CSV (rows of several runs with the run's name in the first column), event files for
/// TensorBoard, and completions as JSON lines. Returns 0. Throws Error (exit code 2: wrong command line) if no output
/// is named, or two go to standard output.
int log_export(const LogExport& options, std::ostream& out);

/// Options of `compeer log group`.
struct LogGroup {
  std::string run;                    ///< folder or name, as for find_run()
  uint64_t step = 0;                  ///< training step; 0: the newest
  uint64_t prompt = 0;                ///< number of the prompt within the step, from 0
  bool tokens = false, json = false;  ///< with token ids and log-probabilities; as JSON
  double timeout_seconds = 600;       ///< time limit for reading the run
};
/// Prints one prompt's completions with rewards and advantages. Returns 0. Throws Error (exit code 2) for a missing
/// step or prompt, (exit code 4) without rollouts.
int log_group(const LogGroup& options, std::ostream& out);

/// Options of `compeer log diff`.
struct LogDiff {
  std::string before, after;     ///< two runs: folders or names, as for find_run()
  bool json = false;             ///< print one JSON object
  double timeout_seconds = 120;  ///< time limit for reading the runs
};
/// Prints the settings that differ, and metrics of both runs with the difference (`after` minus `before`) and its
/// interval. Returns 0.
int log_diff(const LogDiff& options, std::ostream& out);

/// Options of `compeer log verify`.
struct LogVerify {
  std::string run;               ///< folder or name, as for find_run()
  bool json = false;             ///< print one JSON object
  double timeout_seconds = 120;  ///< time limit of each check
};
/// Checks that the files of a run are intact and consistent, and prints one line per check. Returns the exit code:
/// 0 if all checks pass, 1 if one failed because of an I/O error, otherwise 4.
int log_verify(const LogVerify& options, std::ostream& out);

}  // namespace compeer::app
