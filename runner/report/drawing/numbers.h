#pragma once
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// Formatting of numbers: with a true minus sign, as many digits as the uncertainty allows, and "–" for unknown values.

/// Formats with fixed decimals: "0.561", "−3.20"; NaN: "–"; infinite: "∞".
std::string fixed(double value, int decimals);

/// Like `fixed`, but always with a sign, for differences: "+0.141".
std::string fixed_signed(double value, int decimals);

/// Formats with about three significant digits: "0.0312", "12.5", "1 480", "2×10⁻⁴".
std::string compact(double value);

/// Formats a duration: 42 s, 3 min 05 s, 2 h 10 min.
std::string duration(double seconds);

/// Returns the number of decimals, 0 to 6, for an interval of this half width: two of its digits if these are at most
/// 35, otherwise one. 0.021 -> 3, 0.08 -> 2.
int decimals_for(double half_width);

/// Returns one number of decimals for a column: that of the median interval, but at most five significant digits of the
/// median mean; without intervals, three of its digits.
int column_decimals(const std::vector<Interval>& estimates);

/// Formats "0.561 [0.540, 0.582]", or only the mean if there is no interval.
std::string with_interval(const Interval& estimate, int decimals);

/// Returns about `most` ticks within [low, high], at multiples of 1, 2 or 5 times a power of ten.
std::vector<double> ticks(double low, double high, int most);

/// Returns labels for these ticks: with equal decimals, or powers of ten if they are very small or large.
std::vector<std::string> tick_labels(const std::vector<double>& at);

/// Range of an axis.
struct Range {
  double low = 0, high = 1;
};
/// Returns [low, high] with a margin, extended to zero if zero is near.
Range axis_range(double low, double high);

}  // namespace compeer::report
