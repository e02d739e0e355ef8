#pragma once
#include <boost/config.hpp>
#include <span>

#include "compeer/conversation.h"
#include "compeer/scores.h"

namespace compeer {

/// Scores completions.
///
///   class Politeness : public compeer::Reward {
///    public:
///     void score(std::span<const compeer::Group> groups, compeer::Scores& scores) override {
///       for (const auto& group : groups)
///         for (const auto& one : group.completions) scores.add(one, {{"reward", please_in(one.text)}});
///     }
///   };
///
/// Threads: one thread calls an object at a time. Each rank has an object of its own, which scores other groups. So a
/// score must follow from the settings, the group and the host's random numbers alone, and a plugin never communicates
/// between ranks.
class BOOST_SYMBOL_VISIBLE Reward {
 public:
  static constexpr const char* kind = "rewards";
  virtual ~Reward() = default;

  /// Names of the columns of `score`: letters, digits, '_', '-', '.'. The first is the reward itself, the others are
  /// logged beside it. The same in every call.
  virtual std::vector<std::string> parts() const { return {"reward"}; }

  /// Adds a row for each completion of each group, with a number for each part. Every number is rounded to float32 when
  /// the call is over and must then be finite; `no_opinion` where `abstains` allows it. What a group gets must not
  /// depend on the groups beside it. (At present a call has one group.)
  virtual void score(std::span<const Group> groups, Scores& scores) = 0;

  /// True if it may have no opinion of a completion: then other rewards decide alone, and a completion that no reward
  /// has an opinion of is not learned from.
  virtual bool abstains() const { return false; }
};

}  // namespace compeer
