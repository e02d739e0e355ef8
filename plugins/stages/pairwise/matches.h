#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compeer/stage.h"
#include "empathy/judgement.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

// Comparisons of models by their replies, for the stage pairwise of a data run. A chat model or people decide which of
// two replies is better.

/// A comparison of two models' replies to one dialogue.
struct Match {
  std::string first, second;         ///< names of the models
  empathy::Preference preference{};  ///< the better reply, shown in the order first, second
  /// The better reply when they were shown in the order second, first. The enumerators mean the same models as in
  /// `preference`. nullopt: shown in one order only.
  std::optional<empathy::Preference> reverse_order = {};

  /// Returns 1 if `first` wins, -1 if `second` wins, 0 for a tie: both or neither is good, or the two orders have
  /// different results.
  int outcome() const;
  /// Returns true if the two orders have different winners, which means that the position decided.
  bool contradictory() const;
};

/// Adds one match to the counts of an outcome. `comparison` computes figures from these counts. `record`: a record of
/// the dialogue that both models answered.
void count(const nlohmann::json& record, const Match& match, Outcome& outcome);

/// Returns the findings of the stage. `counts`: the sums over all records; `how`: parameters of the bootstrap over
/// dialogues. Figures are {value, low, high}:
///
///   n, dialogues   numbers of matches and dialogues
///   pairs          by "A vs B": n; win, tie, lose: fractions for A, with Wilson intervals; sign_test: probability of a
///                  split of wins and losses at least this uneven by chance; contradictory: fraction of the matches
///                  judged in both orders. A pair that occurs in both directions is reported once, by alphabet
///   shares         "win", "tie", "lose": the fractions of a pair that sum to 1
///   models         by name: strength of the Bradley-Terry model, with bootstrap over dialogues; null if it does not
///                  exist
nlohmann::json comparison(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::stages
