#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/status.h"

namespace compeer::launch {

/// Progress display of runs. On a terminal it is one line with a bar, which is redrawn in place. Otherwise it writes a
/// line at the start and the end of a run and every 30 seconds in between. Several runs share one line ("7 of 24, 2
/// failed, 3:10 left"), redrawn or written every 30 seconds, and a line at the end.
class Progress {
 public:
  /// How a run ended; `read_back`: it had finished before and was not started.
  enum class Outcome { finished, failed, stopped, read_back };
  struct Setup {
    bool terminal = false, colour = false, quiet = false;
    std::function<size_t()> width;                ///< returns the width of the terminal in characters
    std::function<double()> now;                  ///< returns the time in seconds
    std::function<void(std::string_view)> write;  ///< writes text
  };
  static constexpr double between_lines = 30;  ///< seconds

  /// Returns the setup for standard error: whether it is a terminal, its width, and colour unless NO_COLOR is set.
  static Setup standard_error(bool quiet);

  /// `runs`: total number of runs.
  explicit Progress(Setup setup, size_t runs = 1);
  ~Progress();

  /// Reports that a run has started: "smoke-grpo: starts on 2 ranks in results/smoke-grpo".
  void start(const std::string& run, const std::string& sentence);
  /// Shows the present status of a run.
  void update(const std::string& run, const record::Status& status);
  /// Reports that a run has ended, or could not be started: "finished after 0:32".
  void end(const std::string& run, Outcome outcome, const std::string& sentence);
  /// Writes `sentence` and shows from now on that runs stop after their current step.
  void stop(const std::string& sentence);
  /// Reports that all runs have ended; for several: "24 runs: 22 finished, 2 failed after 12:34".
  void close();
  /// Writes a message on its own line, also if quiet.
  void note(const std::string& text);

  /// Returns the seconds since the run started; 0 for an unknown run.
  double elapsed(const std::string& run) const;

 private:
  struct Run {
    std::string name;
    double started = 0, told = 0;
    // The rate of steps is measured from `first` steps at time `first_at` to the steps in `status` at time `last_at`.
    double first = 0, first_at = 0;
    double last_at = 0;
    bool seen = false;  // `first` is set
    record::Status status;
  };
  Run& find(const std::string& name);
  std::string left(const Run& run) const;
  std::string bar(const Run& run) const;
  std::string line(const Run& run) const;
  bool has_several_runs() const { return total_ > 1; }
  size_t ended() const;
  std::string counts() const;
  std::string line_of_all() const;
  std::string all_left() const;
  void wipe();
  void draw();

  Setup setup_;
  size_t total_;
  std::map<Outcome, size_t> outcomes_;
  double began_ = 0, told_ = 0;
  std::vector<Run> runs_;  // runs in progress
  bool drawn_ = false, stopping_ = false;
};

/// Formats seconds: 75 -> "1:15", 4000 -> "1:06:40".
std::string duration_text(double seconds);

}  // namespace compeer::launch
