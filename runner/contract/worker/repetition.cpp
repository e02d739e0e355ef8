#include "contract/worker/repetition.h"

#include <algorithm>
#include <chrono>

#include "contract/worker/usage.h"

namespace compeer::contract {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double longest = 10;  // seconds

/// Calls, each with the time it took, in memory that is there from the beginning.
class Calls {
 public:
  Calls(int64_t most, const std::function<void()>& f) : f_(f) { seconds_.reserve(static_cast<size_t>(most)); }

  void until(int64_t count, double share_of_time) {
    while (done() < count && passed(begun_) < longest * share_of_time) {
      const auto begun = Clock::now();
      f_();
      seconds_.push_back(passed(begun));
    }
  }
  int64_t done() const { return static_cast<int64_t>(seconds_.size()); }

  double median() {
    const auto middle = seconds_.begin() + done() / 2;
    std::nth_element(seconds_.begin(), middle, seconds_.end());
    return *middle;
  }

 private:
  static double passed(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

  const std::function<void()>& f_;
  const Clock::time_point begun_ = Clock::now();
  std::vector<double> seconds_;
};

}  // namespace

Repetition repeat(int64_t most, const std::function<void()>& f) {
  Calls calls(most, f);
  calls.until(1, 1);
  calls.until(std::max<int64_t>(most / 10, 2), 0.2);
  const int64_t first = calls.done();
  const Usage before = usage();
  calls.until((most + first) / 2, 0.6);
  const int64_t half = calls.done() - first;
  const Usage middle = usage();
  calls.until(first + 2 * half, 2);
  const Usage after = usage();
  const int64_t measured = calls.done() - first;
  return {calls.done(), measured, calls.median(), grown(before, middle, after, measured)};
}

}  // namespace compeer::contract
