// Timings and their JSON form.
#include "tools/bench/measurement.h"

#include <algorithm>
#include <chrono>

namespace compeer::bench {

TimingSpread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back(), values.size()};
}

std::vector<double> timed(size_t times, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (size_t i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds;
}

nlohmann::json measurement(const std::string& bench, const std::string& what, const std::string& unit,
                           const TimingSpread& spread) {
  return {{"bench", bench},          {"what", what},      {"unit", unit}, {"min", spread.min},
          {"median", spread.median}, {"max", spread.max}, {"n", spread.n}};
}

}  // namespace compeer::bench
