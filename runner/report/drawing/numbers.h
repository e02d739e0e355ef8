#pragma once
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// How numbers are printed: a true minus sign, as many digits as the uncertainty allows, "–" for what is unknown.

/// "0.561", "−3.20": fixed decimals. NaN: "–"; infinite: "∞".
std::string fixed(double value, int decimals);

/// The same with its sign always shown, for differences: "+0.141".
std::string fixed_signed(double value, int decimals);

/// About three significant digits: "0.0312", "12.5", "1 480", "2×10⁻⁴".
std::string compact(double value);

/// 42 s, 3 min 05 s, 2 h 10 min.
std::string duration(double seconds);

/// Decimals that an uncertainty of this size allows: two of its digits if they are at most 35, else one, so that
/// 0.021 -> 3 and 0.08 -> 2. Between 0 and 6.
int decimals_for(double half_width);

/// Decimals fit for all of these at once, so that a column lines up: those of the median interval, but no more than
/// five significant digits of the median mean; three of its digits where none has an interval.
int column_decimals(const std::vector<Interval>& estimates);

/// "0.561 [0.540, 0.582]", or the mean alone where there is no interval.
std::string with_interval(const Interval& estimate, int decimals);

/// Ticks at 1, 2 or 5 times a power of ten, at most about `most` of them, all within [low, high].
std::vector<double> ticks(double low, double high, int most);

/// Labels for those ticks: equal decimals, or powers of ten where they are very small or large.
std::vector<std::string> tick_labels(const std::vector<double>& at);

/// An axis that shows [low, high] with a little air, and starts at zero where zero is near enough to matter.
struct Range {
  double low = 0, high = 1;
};
Range axis_range(double low, double high);

}  // namespace compeer::report
