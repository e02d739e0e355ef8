#pragma once
#include <boost/config.hpp>
#include <span>

#include "compeer/conversation.h"
#include "compeer/scores.h"

namespace compeer {

/// Interface of a plugin of the kind "reweighting", which transforms the rewards of the completions of one prompt (a
/// group) into the rewards from which advantages are computed, for example to reduce those of redundant completions.
///
/// Threads: calls on one object never overlap. Each rank has its own object and processes different groups.
class BOOST_SYMBOL_VISIBLE Reweighting {
 public:
  static constexpr const char* kind = "reweighting";
  virtual ~Reweighting() = default;

  /// Returns the names of the columns that `reweight` returns in addition to "reward", such as the factors of each
  /// reward; they are only logged. "reward" is not allowed. Every call must return the same.
  virtual std::vector<std::string> factors() const { return {}; }

  /// `rewards[i]` is the reward of `group.completions[i]`. Returns the column "reward" with the new rewards, and one
  /// column for each of `factors`. Numbers must be finite; they are kept as float64.
  virtual Scores reweight(const Group& group, std::span<const double> rewards) = 0;
};

}  // namespace compeer
