#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// A difference of two means, b - a, with its 95 % interval.
struct MeanDifference {
  double value = missing, low = missing, high = missing;
  bool paired = false;  ///< from pairs: the same prompts or tests measured by both

  bool known() const { return std::isfinite(low) && std::isfinite(high); }
  /// True if the interval excludes zero. Only then does the page call it a difference.
  bool is_significant() const { return known() && (low > 0 || high < 0); }
  /// True if the difference is zero with an interval of width zero: all values are equal.
  bool none() const { return low == 0 && high == 0; }
};

/// Returns the difference of two independent means.
MeanDifference difference(const Interval& a, const Interval& b);

/// Returns the difference b - a of two evaluations. Paired by prompt (t interval) if both measured the same prompts, at
/// least 8, and the paired mean agrees with the summaries to within a quarter of the width of their interval. Otherwise
/// the difference of independent means.
MeanDifference difference(const RunData& a, const RunData& b, const std::string& metric);

/// Marks of one cell of a table column. `best`, `second`: rank by mean. `tied`: not the best, but not significantly
/// different from it. No cell is marked if the metric has no known direction, all values are equal, or there is only
/// one.
struct CellMarks {
  bool best = false, second = false, tied = false;
};

/// Returns the marks of each figure. `differ(i, best)` returns the difference of two figures, given by index.
std::vector<CellMarks> cell_marks(const std::vector<Interval>& figures, Better better,
                                  const std::function<MeanDifference(size_t, size_t)>& differ);

/// Flattens a spec to one JSON value per path: "grpo.lr" -> "0.0002", "rewards[0].plugin" -> "\"length\"". Lists of
/// plain values are one value.
std::map<std::string, std::string> flattened(const nlohmann::json& spec);

/// Returns the paths whose values differ, including those that only some of the maps have.
std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& flat);

/// Returns the paths whose values differ between the specs of these runs, including those that only some specs have.
/// Omits the name, and the fingerprints of inputs whose paths differ anyway.
std::vector<std::string> changed(const std::vector<const RunData*>& runs);

/// Returns a flattened value without the quotes of a JSON string.
std::string unquoted(const std::string& value);

}  // namespace compeer::report
