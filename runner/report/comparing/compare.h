#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// b - a with its 95 % interval.
struct MeanDifference {
  double value = missing, low = missing, high = missing;
  bool paired = false;  ///< prompt by prompt or test by test, over those that both have

  bool known() const { return std::isfinite(low) && std::isfinite(high); }
  /// The interval leaves zero out. Nothing on the page is called a difference otherwise.
  bool clear() const { return known() && (low > 0 || high < 0); }
  /// The same value for every prompt.
  bool none() const { return low == 0 && high == 0; }
};

/// Of two independent means.
MeanDifference difference(const Interval& a, const Interval& b);

/// Of two evaluations. Prompt by prompt with a t interval where both measured the same prompts (at least 8 and all of
/// them), else of independent means.
MeanDifference difference(const RunData& a, const RunData& b, const std::string& metric);

/// How the figures of a column stand to each other. `level`: not the best, but can't be told from it. Nothing is marked
/// where no direction is known, all are alike, or there is one alone.
struct Standing {
  bool best = false, second = false, level = false;
};

/// `differ(i, best)`: the difference of two of the figures.
std::vector<Standing> standings(const std::vector<Interval>& figures, Better better,
                                const std::function<MeanDifference(size_t, size_t)>& differ);

/// A spec as one value per path: "grpo.lr" -> "0.0002", "rewards[0].plugin" -> "\"length\"". Lists of plain values stay
/// whole.
std::map<std::string, std::string> flattened(const nlohmann::json& spec);

/// Paths whose values differ between these, a path that only some have included.
std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& flat);

/// Paths whose values differ between the specs of these runs, a path that only some have included. The name is left
/// out, and the fingerprint of an input whose path differs anyway.
std::vector<std::string> changed(const std::vector<const RunData*>& runs);

/// A value without the quotes that a text has in a spec.
std::string unquoted(const std::string& value);

}  // namespace compeer::report
