#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Timings of `compeer bench`, and their JSON form.

namespace compeer::bench {

/// True for model sizes whose benchmarks do less work by default.
inline bool is_large(const std::string& size) { return size == "0.5b" || size == "7b"; }

/// Minimum, median and maximum of several values of one quantity, such as seconds or tokens per second.
struct TimingSpread {
  double min = 0, median = 0, max = 0;
  size_t n = 0;  ///< number of values
};
/// Computes the spread of at least one value. The median of an even number is the upper of the two middle values.
TimingSpread spread(std::vector<double> values);

/// Runs `work` `times` times and returns the seconds of each.
std::vector<double> timed(size_t times, const std::function<void()>& work);

/// Returns one result of a benchmark as JSON: {"bench", "what", "unit", "min", "median", "max", "n"}. `bench`: name of
/// the benchmark ("start"). `what`: the quantity and its sizes ("compeer --help"). `unit`: "s", "tok/s". Callers may
/// add a "note", which is printed, too.
nlohmann::json measurement(const std::string& bench, const std::string& what, const std::string& unit,
                           const TimingSpread& spread);

}  // namespace compeer::bench
