#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::bench {

/// True for model sizes whose benchmarks do less work by default.
inline bool is_large(const std::string& size) { return size == "0.5b" || size == "7b"; }

/// Minimum, median and maximum of several timings.
struct TimingSpread {
  double min = 0, median = 0, max = 0;
  size_t n = 0;
};
TimingSpread spread(std::vector<double> values);

/// Runs `work` `times` times and returns the seconds of each.
std::vector<double> timed(size_t times, const std::function<void()>& work);

/// Returns the result of a benchmark as JSON: {"bench": "start", "what": ..., "unit": ..., "min", "median", "max",
/// "n"}. Callers may add a "note", which is printed, too.
nlohmann::json measurement(const std::string& bench, const std::string& what, const std::string& unit,
                           const TimingSpread& spread);

}  // namespace compeer::bench
