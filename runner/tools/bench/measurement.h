#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::bench {

/// Models of which benchmarks do less by default.
inline bool is_large(const std::string& size) { return size == "0.5b" || size == "7b"; }

/// Smallest, middle and largest of several timings.
struct TimingSpread {
  double min = 0, median = 0, max = 0;
  size_t n = 0;
};
TimingSpread spread(std::vector<double> values);

/// Seconds that `work` takes, `times` over.
std::vector<double> timed(size_t times, const std::function<void()>& work);

/// {"bench": "start", "what": ..., "unit": ..., "min", "median", "max", "n"}: what every benchmark reports. A "note"
/// may be added, which is printed too.
nlohmann::json measurement(const std::string& bench, const std::string& what, const std::string& unit,
                           const TimingSpread& spread);

}  // namespace compeer::bench
