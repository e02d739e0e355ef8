#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

/// `compeer log`: what a run recorded. All of it works on live, crashed and finished runs.
namespace compeer::app {

/// The run folder meant by `run`: a folder, the run.h5 in one, or the name of a run in results/. Otherwise an Error
/// (exit 4) that suggests the nearest run.
std::filesystem::path find_run(const std::string& run);

struct LogShow {
  std::string run;
  bool json = false;
  std::vector<std::string> columns;  ///< empty: all that fit
  uint64_t last = 20;                ///< rows; 0: all
  size_t width = 0;                  ///< of the terminal; 0: unlimited
};
/// A table of the newest rows, and the events; or all of it as one JSON object.
int log_show(const LogShow& options, std::ostream& out);

struct LogExport {
  std::string run;
  std::string csv;          ///< a file, or "-"
  std::string tensorboard;  ///< a folder
};
int log_export(const LogExport& options, std::ostream& out);

struct LogVerify {
  std::string run;
  bool json = false;
  double seconds = 120;  ///< for each check
};
/// One line per check. 0 if all are good, else 4. log_verify.cpp
int log_verify(const LogVerify& options, std::ostream& out);

}  // namespace compeer::app
