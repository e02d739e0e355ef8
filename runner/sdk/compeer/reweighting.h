#pragma once
#include <boost/config.hpp>
#include <span>

#include "compeer/conversation.h"
#include "compeer/scores.h"

namespace compeer {

/// Turns the rewards of one prompt's group into the rewards that advantages are computed from.
///
/// Threads: one thread calls an object at a time. Each rank has an object of its own, which sees other groups.
class BOOST_SYMBOL_VISIBLE Reweighting {
 public:
  static constexpr const char* kind = "reweighting";
  virtual ~Reweighting() = default;

  /// Names of what a new reward is computed from, for the log. Not "reward". The same in every call.
  virtual std::vector<std::string> factors() const { return {}; }

  /// `rewards[i]` is the reward of `group.completions[i]`. Returns the column "reward", which has the new rewards, and
  /// one for each factor. Numbers are finite, and stay float64.
  virtual Scores reweight(const Group& group, std::span<const double> rewards) = 0;
};

}  // namespace compeer
