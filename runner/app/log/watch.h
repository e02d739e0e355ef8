#pragma once
#include <filesystem>
#include <functional>
#include <string_view>

#include "app/log/watch_view.h"

// `compeer log watch`: shows the progress of running runs. The file run.h5 in a run's folder has a row of metrics, the
// columns, for each step.
namespace compeer::app {

/// Options of the command.
struct LogWatch {
  std::vector<std::string> runs;     ///< folders or names of runs
  std::vector<std::string> columns;  ///< metrics to show; empty: at most four informative ones
  double interval = 1;               ///< seconds between two updates
  double timeout_seconds = 60;       ///< time limit for reading one run
};

/// Output and clock of log_watch; tests replace them.
struct WatchTerminal {
  bool terminal = false;                        ///< redraw a table; otherwise print a line for each new row
  std::function<WatchView()> view;              ///< returns the size of the terminal, without columns
  std::function<bool(double seconds)> wait;     ///< sleeps; returns false if the user interrupted
  std::function<void(std::string_view)> write;  ///< writes text at once

  /// Returns the functions for standard output. SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 interrupt `wait`.
  static WatchTerminal standard_output();
};

/// Reads the state of the run in `folder` and the given columns of its run.h5, the latter in a child process that is
/// killed after `seconds`. An unreadable file sets `problem`.
WatchedRun read_run_state(const std::filesystem::path& folder, const std::vector<std::string>& columns,
                          double seconds = 60);

/// Shows the runs until all have ended. Returns the exit code: 0 if all finished, otherwise the runs' code, or 1 if
/// their codes differ; 130 if the user interrupts. `place`: the output.
int log_watch(const LogWatch& options, const WatchTerminal& place);

}  // namespace compeer::app
