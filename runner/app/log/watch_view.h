#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Text of `compeer log watch`, as a function of the state of the runs.
namespace compeer::app {

/// State of a run, as recorded in its folder.
struct WatchedRun {
  std::string name;
  /// queued (in Slurm's queue), starting, running, finished, failed, preempted, cancelled (by scancel), or stopped (its
  /// processes are gone and recorded no reason)
  std::string state;
  std::string phase;
  uint64_t step = 0, steps = 0;
  double elapsed = 0;                                 ///< seconds
  std::vector<std::string> columns;                   ///< names of all columns of run.h5
  std::map<std::string, std::vector<double>> values;  ///< every row of the columns that were read
  std::vector<double> times;                          ///< time of every row, in seconds
  std::string problem;                                ///< why the run failed or can't be read; empty if neither
  int exit = 0;                                       ///< exit code if the run failed

  bool ended() const { return state != "queued" && state != "starting" && state != "running"; }
  uint64_t rows() const { return times.size(); }
};

/// Columns to show and the space for them.
struct WatchView {
  std::vector<std::string> columns;
  size_t width = 80, height = 24;  ///< size of the terminal, in characters
};

/// Returns at most four columns to show by default: those of a fixed list (reward, loss, kl, ...) that any run has,
/// otherwise the first columns of the first run that has any.
std::vector<std::string> default_columns(const std::vector<WatchedRun>& runs);

/// Draws the finite ones of the last 64 values in at most `characters` characters: "▁▂▄▇", each the mean of a part. ""
/// without values.
std::string sparkline(const std::vector<double>& values, size_t characters);

/// Estimates the remaining seconds of a run from the pace of its last 20 rows. NaN if the run has ended, has fewer
/// than two rows, or its number of steps is unknown.
double seconds_left(const WatchedRun& run);

/// Returns a heading and a line for each run, then the reasons of failures, within the size of `view`. Columns that
/// don't fit are named, runs that don't fit are counted.
std::vector<std::string> watch_table(const std::vector<WatchedRun>& runs, const WatchView& view);

/// Returns a line for each new row and each change of state since the previous update, `before`. For a run that is not
/// in `before`, only its newest row and its state.
std::vector<std::string> watch_changes(const std::vector<WatchedRun>& before, const std::vector<WatchedRun>& now,
                                       const WatchView& view);

/// Returns 0 if all runs finished, otherwise the exit code of those that did not, or 1 if their codes differ.
int exit_of(const std::vector<WatchedRun>& runs);

}  // namespace compeer::app
