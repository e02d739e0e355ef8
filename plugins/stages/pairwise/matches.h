#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compeer/stage.h"
#include "empathy/judgement.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// A comparison of two models' replies to one dialogue.
struct Match {
  std::string first, second;  ///< names of the models
  empathy::Preference preference{};
  /// The preference when the replies were shown in reverse order, still about `first` and `second`; empty if they were
  /// not.
  std::optional<empathy::Preference> reverse_order = {};

  /// Returns 1 if the first is better, -1 if the second is, 0 otherwise. Both orders must agree on the winner.
  int outcome() const;
  /// Returns true if the two orders have different winners, so that the position decided.
  bool contradictory() const;
};

/// Adds the counts of one match, for `comparison`. `record`: the one whose dialogue both models answered.
void count(const nlohmann::json& record, const Match& match, Outcome& outcome);

/// Returns the results of all matches:
///
///   n, dialogues   numbers of matches and dialogues
///   pairs          by "A vs B": n; win, tie, lose: fractions for A, with Wilson intervals; sign_test: probability of a
///                  split of wins and losses at least this uneven by chance; contradictory: fraction of the matches
///                  judged in both orders. A pair that occurs in both directions is reported once, by alphabet
///   shares         "win", "tie", "lose": the fractions of a pair that sum to 1
///   models         name: strength by Bradley and Terry, with bootstrap over dialogues; null if it does not exist
nlohmann::json comparison(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::stages
