#pragma once
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace compeer::train {

/// A row of run.h5 before it is written: one number per column, NaN until it is set.
class MetricRow {
 public:
  /// Keeps a reference to `columns`.
  explicit MetricRow(const std::vector<std::string>& columns);

  /// `set` and `get` throw std::logic_error if there is no such column: metrics are declared before the run starts.
  void set(const std::string& column, double value);
  double get(const std::string& column) const;
  bool has(const std::string& column) const;

  const std::vector<double>& values() const { return values_; }
  const std::vector<std::string>& columns() const { return *columns_; }

 private:
  size_t at(const std::string& column) const;  // index of a column
  const std::vector<std::string>* columns_;
  std::vector<double> values_;  // by index of the column
};

/// Measures the time of each phase of a step on this rank, in seconds, with a monotonic clock.
class PhaseClock {
 public:
  /// Column names: "seconds/<phase>" of each phase, and "seconds/step".
  static std::vector<std::string> columns(const std::vector<std::string>& phases) {
    std::vector<std::string> names;
    for (const auto& phase : phases) names.push_back("seconds/" + phase);
    names.push_back("seconds/step");
    return names;
  }

  /// Runs `work`, adds its time to the phase (also if it throws) and returns its result.
  template <class Work>
  decltype(auto) time(const std::string& phase, Work&& work) {
    struct Stop {
      PhaseClock& clock;
      const std::string& phase;
      std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
      ~Stop() {
        clock.laps_.emplace_back(phase,
                                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      }
    } stop{*this, phase};
    return std::forward<Work>(work)();
  }

  /// Seconds since this object was created.
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  /// Sets "seconds/<phase>" of every phase that ran, and "seconds/step".
  void write(MetricRow& row) const {
    std::vector<std::pair<std::string, double>> sums;
    for (const auto& [phase, seconds] : laps_) {
      auto sum = sums.begin();
      while (sum != sums.end() && sum->first != phase) ++sum;
      if (sum == sums.end()) sum = sums.insert(sums.end(), {phase, 0.0});
      sum->second += seconds;
    }
    for (const auto& [phase, seconds] : sums) row.set("seconds/" + phase, seconds);
    row.set("seconds/step", elapsed());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<std::pair<std::string, double>> laps_;  // phase and seconds of each call of `time`
};

}  // namespace compeer::train
