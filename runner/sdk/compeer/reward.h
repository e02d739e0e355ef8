#pragma once
#include <boost/config.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/conversation.h"
#include "compeer/scores.h"

namespace compeer {

/// Scores completions. The descriptor names the columns of its scores (absent: "reward"); the first is the reward
/// itself, the others are logged beside it.
///
///   class Politeness : public compeer::Reward {
///    public:
///     void score(std::span<const compeer::Group> groups, compeer::Scores& scores) override {
///       for (const auto& group : groups)
///         for (const auto& one : group.completions) scores.add(one, {{"reward", please_in(one.text)}});
///     }
///   };
///   COMPEER_PLUGIN(Reward, rewards, politeness, Politeness, R"json(
///     "version": "1.0.0", "summary": "Counts pleases.", "columns": ["reward"], "parameters": {})json")
///
/// Threads: one thread calls an object at a time; but see `waits`. Each rank has an object of its own, which scores
/// other groups. So a score must follow from the settings, the group, the host's random numbers and the state alone,
/// and a plugin never communicates between ranks.
class BOOST_SYMBOL_VISIBLE Reward {
 public:
  static constexpr const char* kind = "rewards";
  virtual ~Reward() = default;

  /// Adds a row for each completion of each group, with a number for each column. Every number is rounded to float32
  /// when the call is over and must then be finite; `no_opinion` where `abstains` allows it. A call has all groups that
  /// are ready; what one of them gets must not depend on those beside it.
  virtual void score(std::span<const Group> groups, Scores& scores) = 0;

  /// Columns that follow from the settings, in place of the descriptor's. The same in every call.
  virtual std::vector<std::string> columns() const { return {}; }

  /// True if it may have no opinion of a completion: then other rewards decide alone, and a completion that no reward
  /// has an opinion of is not learned from.
  virtual bool abstains() const { return false; }

  /// True if it waits for somebody else and computes hardly anything: a judge behind an endpoint. Then `score` is
  /// called on other threads while the engine still decodes other groups, as soon as all completions of a group are
  /// there, and again for other groups while it stands in Chat::answer; never at the same time otherwise. So it must
  /// not carry over anything that changes from before such a call to after it, but for what belongs to the groups it
  /// was given.
  virtual bool waits() const { return false; }

  /// What it has learned, as a running mean: part of a checkpoint, and given back when a run goes on. It may change in
  /// `learn` alone, so that it is the same on all ranks, which is checked when a checkpoint is written.
  virtual nlohmann::json state() const { return nullptr; }
  virtual void restore(const nlohmann::json& state) { (void)state; }

  /// Called after every step of training, on every rank alike, with what `score` noted of the step's groups
  /// (Scores::note), in their order, whichever rank has scored them.
  virtual void learn(const std::vector<nlohmann::json>& notes) { (void)notes; }
};

}  // namespace compeer
