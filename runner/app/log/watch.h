#pragma once
#include <filesystem>
#include <functional>
#include <string_view>

#include "app/log/watch_view.h"

/// `compeer log watch`: how runs go, while they go.
namespace compeer::app {

struct LogWatch {
  std::vector<std::string> runs;
  std::vector<std::string> columns;  ///< empty: those that tell most
  double interval = 1;               ///< seconds between two looks
  double seconds = 60;               ///< that reading a run may take
};

/// Where the text goes, and what time is.
struct WatchPlace {
  bool terminal = false;                     ///< a table that is drawn over and over, else a line for each new row
  std::function<WatchView()> view;           ///< how much room there is
  std::function<bool(double seconds)> wait;  ///< false: the user has had enough
  std::function<void(std::string_view)> write;

  static WatchPlace standard_output();
};

/// How the run in this folder stands; reads the named columns of run.h5, in a process of its own (in_child.h) that may
/// take so many seconds. What can't be read is its `problem`.
WatchedRun look_at(const std::filesystem::path& folder, const std::vector<std::string>& columns, double seconds = 60);

/// Watches until all runs have ended, and returns what `exit_of` says of them; 130 if the user has had enough.
int log_watch(const LogWatch& options, const WatchPlace& place);

}  // namespace compeer::app
