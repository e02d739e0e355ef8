#pragma once
#include <boost/config.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
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
///     compeer::Scores score(const compeer::Group& group) override {
///       compeer::Scores scores;
///       for (const auto& one : group.completions) scores["reward"].push_back(please_in(one.text));
///       return scores;
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

  /// Returns every column of one group. Numbers are rounded to float32 and must then be finite, or `no_opinion` where
  /// `abstains` allows it. A reward overrides this function or `score_all`.
  virtual Scores score(const Group& group) {
    (void)group;
    throw std::logic_error("this reward overrides neither score nor score_all");
  }

  /// Returns the scores of all groups that are ready, in their order. Override it to ask a model about all of them at
  /// once. The scores of a group must not depend on the other groups.
  virtual std::vector<Scores> score_all(std::span<const Group> groups) {
    std::vector<Scores> all;
    for (const Group& group : groups) all.push_back(score(group));
    return all;
  }

  /// Columns that follow from the settings, in place of the descriptor's. The same in every call.
  virtual std::vector<std::string> columns() const { return {}; }

  /// True if it may have no opinion of a completion: then other rewards decide alone, and a completion that no reward
  /// has an opinion of is not learned from.
  virtual bool abstains() const { return false; }

  /// True if it waits for somebody else and computes hardly anything: a judge behind an endpoint. Then `score_all` is
  /// called on other threads while the engine still decodes other groups, as soon as all completions of a group are
  /// there, and again for other groups while it stands in Chat::answer; never at the same time otherwise. So it must
  /// not carry over anything that changes from before such a call to after it, but for what belongs to the groups it
  /// was given.
  virtual bool waits() const { return false; }

  /// What it has learned, as a running mean: part of a checkpoint, and given back when a run goes on. It may change in
  /// `learn` alone, so that it is the same on all ranks, which is checked when a checkpoint is written.
  virtual nlohmann::json state() const { return nullptr; }
  virtual void restore(const nlohmann::json& state) { (void)state; }

  /// Called after every step of training, on every rank, with Scores::note of all the step's groups, in their order.
  virtual void learn(const std::vector<nlohmann::json>& notes) { (void)notes; }
};

}  // namespace compeer
