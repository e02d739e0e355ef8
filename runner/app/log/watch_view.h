#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// What `compeer log watch` shows: text as a function of how runs stand.
namespace compeer::app {

/// How a run stands, as far as its folder tells.
struct WatchedRun {
  std::string name;
  /// queued (in Slurm's queue), starting, running, finished, failed, preempted, cancelled (by scancel), stopped (its
  /// processes are gone, and left no reason)
  std::string state;
  std::string phase;
  uint64_t step = 0, steps = 0;
  double elapsed = 0;                                 ///< seconds
  std::vector<std::string> columns;                   ///< all it has
  std::map<std::string, std::vector<double>> values;  ///< of the columns that are shown, every row
  std::vector<double> times;                          ///< of every row, in seconds
  std::string problem;                                ///< why it failed, or can't be read
  int exit = 0;                                       ///< its exit code, if it failed

  bool ended() const { return state != "queued" && state != "starting" && state != "running"; }
  uint64_t rows() const { return times.size(); }
};

struct WatchView {
  std::vector<std::string> columns;
  size_t width = 80, height = 24;  ///< of the terminal, in characters
};

/// The first few of what tells most of a run: reward, loss and what follows, as far as a run has them; else its own
/// first columns.
std::vector<std::string> telling_columns(const std::vector<WatchedRun>& runs);

/// The course of the last 64 values in as many characters: "▁▂▄▇", each the mean of a part; "" without values.
std::string sparkline(const std::vector<double>& values, size_t characters);

/// What is left of a run at the pace of its last 20 rows, in seconds; NaN if that can't be told.
double seconds_left(const WatchedRun& run);

/// A line for each run, under a heading, no wider and no higher than the view: columns that don't fit are named, runs
/// that don't are counted. Below, why runs failed.
std::vector<std::string> watch_table(const std::vector<WatchedRun>& runs, const WatchView& view);

/// What happened between two looks, a line each: rows that are new, and runs that changed their state. Of a run that
/// was not looked at before only the newest row.
std::vector<std::string> watch_news(const std::vector<WatchedRun>& before, const std::vector<WatchedRun>& now,
                                    const WatchView& view);

/// What watching ends with: 0 if all runs finished, else the code of those that didn't, 1 if they have several.
int exit_of(const std::vector<WatchedRun>& runs);

}  // namespace compeer::app
