#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

/// Comparison of runs: differences of their metrics with intervals, marks for the best cells of a table, and the
/// settings that differ between their specs. An Interval is a mean with its 95 % interval.
namespace compeer::report {

/// A difference of two means, b - a, with its 95 % interval. NaN: unknown.
struct MeanDifference {
  double value = missing, low = missing, high = missing;
  bool paired = false;  ///< true if computed from pairs: both measured the same prompts or tests

  bool known() const { return std::isfinite(low) && std::isfinite(high); }  ///< true if it has an interval
  /// True if the interval excludes zero. Only then does the page call it a difference.
  bool is_significant() const { return known() && (low > 0 || high < 0); }
  /// True if the difference is zero with an interval of width zero: all values are equal.
  bool none() const { return low == 0 && high == 0; }
};

/// Returns the difference b - a of two independent means.
MeanDifference difference(const Interval& a, const Interval& b);

/// Returns the difference b - a of a metric between two evaluate runs. Paired by prompt (t interval) if both measured
/// the same prompts, at least 8, and the paired mean agrees with the difference of the runs' means to within a quarter
/// of the width of that difference's interval. Otherwise the difference of independent means.
MeanDifference difference(const RunData& a, const RunData& b, const std::string& metric);

/// Marks of one cell of a table column, which contains one metric of several models.
struct CellMarks {
  bool best = false;    ///< the best mean of the column
  bool second = false;  ///< the second-best mean
  bool tied = false;    ///< not the best mean, but not significantly different from it
};

/// Returns the marks of each figure of a column. `better`: the better direction. `differ(i, best)`: returns the
/// difference between figures[i] and the best one, by their indices. No figure is marked if the direction is unknown,
/// all means are equal, or only one is known.
std::vector<CellMarks> cell_marks(const std::vector<Interval>& figures, Better better,
                                  const std::function<MeanDifference(size_t, size_t)>& differ);

/// Flattens a spec (the JSON object of all settings) to one value in JSON text per path: "grpo.lr" -> "0.0002",
/// "rewards[0].plugin" -> "\"length\"". Lists of plain values are one value.
std::map<std::string, std::string> flattened(const nlohmann::json& spec);

/// Returns the paths with different values in several flattened specs, including those that only some of them have.
std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& flat);

/// Returns the paths with different values in the specs of these runs, including those that only some specs have.
/// Omits the run's name, and the fingerprint of an input file (`inputs.<path>`) if the setting that names the file
/// differs, too.
std::vector<std::string> changed(const std::vector<const RunData*>& runs);

/// Returns a value of a flattened spec without the quotes of a JSON string. Strings with escapes are unchanged.
std::string unquoted(const std::string& value);

}  // namespace compeer::report
