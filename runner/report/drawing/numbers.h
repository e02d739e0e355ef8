#pragma once
#include <string>
#include <vector>

#include "report/runs/run_data.h"

/// Formatting of numbers for tables and plots: with a true minus sign, as many digits as the uncertainty allows, and
/// "–" for unknown values (NaN). An Interval is a mean with its 95 % interval.
namespace compeer::report {

/// Formats with fixed decimals: "0.561", "−3.20"; NaN: "–"; infinite: "∞".
std::string fixed(double value, int decimals);

/// Like `fixed`, but always with a sign, for differences: "+0.141".
std::string fixed_signed(double value, int decimals);

/// Formats with about three significant digits: "0.0312", "12.5", "1 480", "2×10⁻⁴".
std::string compact(double value);

/// Formats a duration: "4.2 s", "42 s", "3 min 05 s", "2 h 10 min"; "–" for NaN and negative values.
std::string duration(double seconds);

/// Returns the number of decimals, 0 to 6, for printing a mean with an interval of this half width, so that two
/// significant digits of the half width are shown if these are at most 35, otherwise one: 0.021 -> 3, 0.08 -> 2. 3 if
/// the half width is 0 or NaN.
int decimals_for(double half_width);

/// Returns the number of decimals for printing all means of a table column: decimals_for() the median half width,
/// but at most five significant digits of the median mean; without intervals, three digits of it.
int column_decimals(const std::vector<Interval>& estimates);

/// Formats "0.561 [0.540, 0.582]", or only the mean if there is no interval.
std::string with_interval(const Interval& estimate, int decimals);

/// Returns the positions of ticks on an axis from `low` to `high`: at most `most` + 1 multiples of 1, 2 or 5 times a
/// power of ten.
std::vector<double> ticks(double low, double high, int most);

/// Returns the labels for ticks at these ascending values: with equal decimals, or powers of ten if they are very small
/// or large.
std::vector<std::string> tick_labels(const std::vector<double>& at);

/// Range of an axis, in units of the data.
struct Range {
  double low = 0, high = 1;
};
/// Returns the range of an axis for values from `low` to `high`: with a margin of 5 %, extended to zero if zero is
/// near.
Range axis_range(double low, double high);

}  // namespace compeer::report
