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
/// failed, 3:10 left"), redrawn or written every 30 seconds, and a line at the end. Runs are identified by their names.
class Progress {
 public:
  /// How a run ended. `stopped`: by a signal or a spent budget, so that it can be resumed. `read_back`: the run had
  /// finished before and was not started; its results were read.
  enum class Outcome { finished, failed, stopped, read_back };
  /// The output. `terminal`: redraw one line; `colour`: use escape sequences for bold text; `quiet`: only notes.
  struct Setup {
    bool terminal = false, colour = false, quiet = false;
    std::function<size_t()> width;                ///< returns the width of the terminal in characters
    std::function<double()> now;                  ///< returns the time in seconds since any fixed moment
    std::function<void(std::string_view)> write;  ///< writes text
  };
  static constexpr double between_lines = 30;  ///< seconds between two lines without a terminal

  /// Returns the setup for standard error: whether it is a terminal, its width, and colour unless NO_COLOR is set.
  static Setup standard_error(bool quiet);

  /// `runs`: total number of runs.
  explicit Progress(Setup setup, size_t runs = 1);
  ~Progress();  ///< erases the line on the terminal

  /// Reports that the run named `run` has started. `sentence`: "starts on 2 ranks in results/smoke-grpo".
  void start(const std::string& run, const std::string& sentence);
  /// Shows the present status of a run.
  void update(const std::string& run, const record::Status& status);
  /// Reports that a run has ended, or could not be started. `sentence`: "finished after 0:32"; it is not shown if there
  /// are several runs.
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
  // A run in progress. Times are those of Setup::now.
  struct Run {
    std::string name;
    double started = 0;     // time of start()
    double written_at = 0;  // time of the last line about it
    // The rate of steps is measured from `first` steps at time `first_at` to the steps in `status` at time `last_at`.
    double first = 0, first_at = 0;
    double last_at = 0;
    bool seen = false;      // `first` is set
    record::Status status;  // as of the last update()
  };
  Run& find(const std::string& name);      // returns the run, which is added if it is unknown
  std::string left(const Run& run) const;  // "1:20 left", the estimated remaining time; "" if it is unknown
  std::string bar(const Run& run) const;   // the line of one run for a terminal
  std::string line(const Run& run) const;  // the line of one run without a terminal
  bool has_several_runs() const { return total_ > 1; }
  size_t ended() const;             // number of runs that have ended
  std::string counts() const;       // "20 finished, 2 failed"
  std::string line_of_all() const;  // "7 of 24, 2 failed, 3:10 left"
  std::string all_left() const;     // the estimated remaining time of all runs, "3:10"; "" if it is unknown
  void wipe();                      // erases the line on the terminal
  void draw();                      // draws the line on the terminal

  Setup setup_;
  size_t total_;                           // number of runs
  std::map<Outcome, size_t> outcomes_;     // number of ended runs by outcome
  double began_ = 0;                       // time of construction
  double written_at_ = 0;                  // time of the last line about all runs
  std::vector<Run> runs_;                  // runs in progress
  bool drawn_ = false, stopping_ = false;  // the terminal shows a line; stop() was called
};

/// Formats seconds: 75 -> "1:15", 4000 -> "1:06:40".
std::string duration_text(double seconds);

}  // namespace compeer::launch
