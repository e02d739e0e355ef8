#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/status.h"

namespace compeer::launch {

/// Tells a person at the terminal how runs go: one line that is written over and over, with a bar. Without a terminal
/// a line at the start and the end of a run and every 30 seconds. Several runs together have one line for all of them
/// ("7 of 24, 2 failed, 3:10 left"), drawn over or every 30 seconds, and one at the end.
class Progress {
 public:
  enum class Outcome { finished, failed, stopped, read_back };
  struct Setup {
    bool terminal = false, colour = false, quiet = false;
    std::function<size_t()> width;  ///< of the terminal, in characters
    std::function<double()> now;    ///< seconds
    std::function<void(std::string_view)> write;
  };
  static constexpr double between_lines = 30;  ///< seconds

  /// As standard error allows: a terminal or not, NO_COLOR, its width.
  static Setup standard_error(bool quiet);

  explicit Progress(Setup setup, size_t runs = 1);
  ~Progress();

  /// A run begins: "smoke-grpo: starts on 2 ranks in results/smoke-grpo".
  void start(const std::string& run, const std::string& sentence);
  void update(const std::string& run, const record::Status& status);
  /// A run ended, or never began: "finished after 0:32".
  void end(const std::string& run, Outcome outcome, const std::string& sentence);
  /// From here on runs end after the step that they are in.
  void stop(const std::string& sentence);
  /// All have ended: of several, "24 runs: 22 finished, 2 failed after 12:34".
  void close();
  /// A remark of its own line. Shown even if quiet.
  void note(const std::string& text);

  /// Seconds since the run began.
  double passed(const std::string& run) const;

 private:
  struct Run {
    std::string name;
    double started = 0, told = 0;
    double first = 0, first_at = 0;  // steps done, and when that was seen: the rate is measured from there ...
    double last_at = 0;              // ... to when `status` had got so far
    bool seen = false;
    record::Status status;
  };
  Run& find(const std::string& name);
  std::string left(const Run& run) const;
  std::string bar(const Run& run) const;
  std::string line(const Run& run) const;
  bool together() const { return total_ > 1; }
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
  std::vector<Run> runs_;  // that go on just now
  bool drawn_ = false, stopping_ = false;
};

/// 75 -> "1:15", 4000 -> "1:06:40".
std::string duration_text(double seconds);

}  // namespace compeer::launch
