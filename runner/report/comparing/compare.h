#pragma once
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// b - a with its 95 % interval.
struct Difference {
  double value = missing, low = missing, high = missing;
  bool paired = false;  ///< prompt by prompt or test by test, over those that both have

  bool known() const { return std::isfinite(low) && std::isfinite(high); }
  /// The interval leaves zero out. Nothing on the page is called a difference otherwise.
  bool clear() const { return known() && (low > 0 || high < 0); }
  /// The same value for every prompt.
  bool none() const { return low == 0 && high == 0; }
};

/// Of two independent means.
Difference difference(const Estimate& a, const Estimate& b);

/// Of two evaluations. Prompt by prompt with a t interval where both measured the same prompts (at least 8 and all of
/// them), else of independent means.
Difference difference(const RunData& a, const RunData& b, const std::string& metric);

/// "+0.141 [+0.112, +0.170]", "equal", "no clear difference (+0.004 [−0.021, +0.029])", or "+0.141 (no interval)".
std::string in_words(const Difference& difference, int decimals);

}  // namespace compeer::report
