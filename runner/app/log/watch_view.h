#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Text of `compeer log watch`, which follows running runs in a terminal, as a function of the state of the runs. A run
// writes a row of metrics, the columns, to the file run.h5 after each step.
namespace compeer::app {

/// State of a run, as recorded in its folder.
struct WatchedRun {
  std::string name;  ///< name of its folder
  /// queued (in Slurm's queue), starting, running, finished, failed, preempted, cancelled (by scancel), or stopped (its
  /// processes are gone and recorded no reason)
  std::string state;
  std::string phase;                 ///< current part of a step: "rollout"; or the job in Slurm's queue
  uint64_t step = 0, steps = 0;      ///< completed and planned steps; planned 0: unknown
  double elapsed = 0;                ///< running time in seconds, over all starts of the run
  std::vector<std::string> columns;  ///< names of all columns of run.h5
  std::map<std::string, std::vector<double>> values;  ///< column -> its value in every row; only columns that were read
  std::vector<double> times;                          ///< time of every row, in seconds
  std::string problem;                                ///< why the run failed or can't be read; empty if neither
  int exit = 0;                                       ///< exit code if the run failed

  /// True if no process will continue the run by itself.
  bool ended() const { return state != "queued" && state != "starting" && state != "running"; }
  uint64_t rows() const { return times.size(); }  ///< number of rows in run.h5
};

/// Columns to show and the space for them.
struct WatchView {
  std::vector<std::string> columns;  ///< names of metrics, in the order of the table
  size_t width = 80, height = 24;    ///< size of the terminal, in characters
};

/// Returns at most four columns to show by default: those of a fixed list (reward, loss, kl, ...) that any run has,
/// otherwise the first columns of the first run that has any.
std::vector<std::string> default_columns(const std::vector<WatchedRun>& runs);

/// Returns a small bar chart of the finite ones of the last 64 values, "▁▂▄▇", in at most `characters` characters. Each
/// character is the mean of several values. "" without values.
std::string sparkline(const std::vector<double>& values, size_t characters);

/// Estimates the remaining seconds of a run from the pace of its last 20 rows. NaN if the run has ended, has fewer
/// than two rows, or its number of steps is unknown.
double seconds_left(const WatchedRun& run);

/// Returns the lines of a table: a heading, a line for each run, then the reasons of failures, within the size of
/// `view`. A line names columns that don't fit, another one counts runs that don't fit.
std::vector<std::string> watch_table(const std::vector<WatchedRun>& runs, const WatchView& view);

/// Returns lines for output that is not a terminal: one for each new row and each change of state since the previous
/// update, `before`. `now` begins with the same runs in the same order. For a run that is not in `before`, the lines
/// are only its newest row and its state.
std::vector<std::string> watch_changes(const std::vector<WatchedRun>& before, const std::vector<WatchedRun>& now,
                                       const WatchView& view);

/// Returns 0 if all runs finished, otherwise the exit code of those that did not, or 1 if their codes differ.
int exit_of(const std::vector<WatchedRun>& runs);

}  // namespace compeer::app
