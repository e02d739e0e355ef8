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

/// Interface of a plugin of the kind "rewards", which scores completions. Scores are named columns with one number for
/// each completion. The descriptor names the columns (absent: "reward"); the first is the reward itself, the others are
/// only logged.
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
/// Threads: no two calls on one object run in parallel; `is_async` describes how calls may interleave. Ranks: each rank
/// has its own object and scores different groups. Scores depend only on the settings, the group, the host's random
/// numbers and the state. Plugins do not communicate between ranks.
class BOOST_SYMBOL_VISIBLE Reward {
 public:
  static constexpr const char* kind = "rewards";
  virtual ~Reward() = default;

  /// Scores one group: returns every column, in any order, with one number for each completion. The program rounds
  /// numbers to float32; they must then be finite, or `no_opinion` if `abstains` returns true. After an exception it
  /// may call again with single groups, and with groups of one completion, to find the cause. A reward overrides this
  /// function or `score_all`.
  virtual Scores score(const Group& group) {
    (void)group;
    throw std::logic_error("this reward overrides neither score nor score_all");
  }

  /// Scores several groups: returns one Scores for each, in their order. The program calls this function, never with an
  /// empty span. Override it to ask a model about all groups at once. The scores of a group must not depend on the
  /// other groups.
  virtual std::vector<Scores> score_all(std::span<const Group> groups) {
    std::vector<Scores> all;
    for (const Group& group : groups) all.push_back(score(group));
    return all;
  }

  /// Returns names of columns that depend on the settings; they replace the descriptor's unless the list is empty.
  /// Every call must return the same.
  virtual std::vector<std::string> columns() const { return {}; }

  /// Returns true if scores may be `no_opinion` (missing). The weighted sum of all rewards leaves such scores out,
  /// without changing the other weights. A completion without any score gets the advantage 0; it still counts in the KL
  /// term and the entropy bonus.
  virtual bool abstains() const { return false; }

  /// Returns true if the reward mostly waits for an external service, such as a judge behind an endpoint. The program
  /// reads it once. It then calls `score_all` on background threads as soon as a group's completions are complete,
  /// while the engine decodes other groups. A lock serialises these calls, but Chat::answer releases it while it waits,
  /// so another thread may enter `score_all` for other groups until it returns. Members of the object may therefore
  /// change across Chat::answer: keep the data of a call in local variables.
  virtual bool is_async() const { return false; }

  /// Returns the learned state, such as a running mean. If it is null when the plugin is opened, the reward has no
  /// state, and `learn` and `restore` are never called. Only `learn` may change it. Checkpoints contain it; writing one
  /// fails with exit code 5 if the state differs between ranks. Text is UTF-8, numbers are finite.
  virtual nlohmann::json state() const { return nullptr; }

  /// Takes the state of a checkpoint when training resumes. Not called if the checkpoint contains none of this reward.
  virtual void restore(const nlohmann::json& state) { (void)state; }

  /// Updates the state at the end of every training step, also of a skipped one. Every rank passes the same notes: the
  /// Scores::note of each of the step's groups over all ranks, in the order of the prompts, null for a group without
  /// scores. Validation and evaluation don't call it. It must be deterministic and must not ask a chat model.
  virtual void learn(const std::vector<nlohmann::json>& notes) { (void)notes; }
};

}  // namespace compeer
