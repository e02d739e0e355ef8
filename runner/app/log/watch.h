#pragma once
#include <filesystem>
#include <functional>
#include <string_view>

#include "app/log/watch_view.h"

/// `compeer log watch`: shows the progress of running runs.
namespace compeer::app {

struct LogWatch {
  std::vector<std::string> runs;
  std::vector<std::string> columns;  ///< empty: default_columns (watch_view.h)
  double interval = 1;               ///< seconds between two updates
  double timeout_seconds = 60;       ///< time limit for reading one run
};

/// Output and clock of log_watch; tests replace them.
struct WatchTerminal {
  bool terminal = false;                     ///< redraw a table; otherwise print a line for each new row
  std::function<WatchView()> view;           ///< returns the size of the terminal
  std::function<bool(double seconds)> wait;  ///< returns false if the user interrupted
  std::function<void(std::string_view)> write;

  /// Writes to standard output. SIGINT and other signals (launch/process.h) interrupt `wait`.
  static WatchTerminal standard_output();
};

/// Reads the state of the run in `folder` and the given columns of its run.h5, the latter in a child process that is
/// killed after `seconds`. An unreadable file sets `problem`.
WatchedRun read_run_state(const std::filesystem::path& folder, const std::vector<std::string>& columns,
                          double seconds = 60);

/// Shows the runs until all have ended and returns their `exit_of`; 130 if the user interrupts.
int log_watch(const LogWatch& options, const WatchTerminal& place);

}  // namespace compeer::app
