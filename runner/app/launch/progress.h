#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/status.h"

namespace compeer::app {

/// Tells a person at the terminal how runs go: one line that is written over and over, with a bar. Without a terminal
/// a line at the start and the end of each run and every 30 seconds.
class Progress {
 public:
  struct Setup {
    bool terminal = false, colour = false, quiet = false;
    std::function<size_t()> width;  ///< of the terminal, in characters
    std::function<double()> now;    ///< seconds
    std::function<void(std::string_view)> write;
  };
  static constexpr double between_lines = 30;  ///< seconds

  /// As standard error allows: a terminal or not, NO_COLOR, its width.
  static Setup standard_error(bool quiet);

  explicit Progress(Setup setup);
  ~Progress();

  /// A run begins: "smoke-grpo: starts on 2 ranks in results/smoke-grpo".
  void start(const std::string& run, const std::string& sentence);
  void update(const std::string& run, const record::Status& status);
  /// A run ended: "finished after 0:32".
  void end(const std::string& run, const std::string& sentence);
  /// A remark of its own line. Shown even if quiet.
  void note(const std::string& text);

  /// Seconds since the run began.
  double passed(const std::string& run) const;

 private:
  struct Run {
    std::string name;
    double started = 0, told = 0;
    double first_step_at = 0;  // when `first_step` was seen: the rate is measured from there
    uint64_t first_step = 0;
    bool seen = false;
    record::Status status;
  };
  Run& find(const std::string& name);
  std::string time_left(const Run& run) const;
  std::string bar(const Run& run) const;
  std::string line(const Run& run) const;
  void wipe();
  void draw();

  Setup setup_;
  std::vector<Run> runs_;
  bool drawn_ = false;
};

/// 75 -> "1:15", 4000 -> "1:06:40".
std::string duration_text(double seconds);

}  // namespace compeer::app
