#pragma once
#include <functional>
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

/// "+0.141 [+0.112, +0.170]", "equal", "no clear difference (+0.004 [−0.021, +0.029])", or "+0.141 (no interval)".
std::string in_words(const MeanDifference& difference, int decimals);

/// How the figures of a column stand to each other. `level`: not the best, but can't be told from it. Nothing is marked
/// where no direction is known, all are alike, or there is one alone.
struct Standing {
  bool best = false, second = false, level = false;
};
std::vector<Standing> standings(const std::vector<Interval>& figures, Better better);

/// The same for figures whose differences are known more exactly than as those of independent means. `differ(i, best)`.
std::vector<Standing> standings(const std::vector<Interval>& figures, Better better,
                                const std::function<MeanDifference(size_t, size_t)>& differ);

}  // namespace compeer::report
