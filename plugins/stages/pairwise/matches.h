#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compeer/stage.h"
#include "empathy/judgement.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// Two models' replies to one dialogue, compared.
struct Match {
  std::string first, second;  ///< the models
  empathy::Preference preference{};
  /// Asked with the replies in this order and in the other: what was said of the same two, first being `first`.
  std::optional<empathy::Preference> turned = {};

  /// 1: the first is better, -1: the second, 0: neither is. Who wins in one order alone does not win.
  int outcome() const;
  /// Each order has another winner: the place decides, not the reply.
  bool contradictory() const;
};

/// Counts of one match for `comparison`. `record`: of the dialogue that both answered.
void count(const nlohmann::json& record, const Match& match, Outcome& outcome);

/// What all matches come to:
///
///   n, dialogues   how many
///   pairs          "A vs B", as they stood, or by the alphabet if they stood both ways round: n; win, tie, lose: A's
///                  shares with Wilson's intervals; sign_test: how likely so uneven a split of wins and losses is by
///                  chance; contradictory: share, if they were asked in both orders
///   shares         "win", "tie", "lose": what adds up to one in each pair
///   models         name: strength: Bradley and Terry's, by bootstrap over dialogues; null where there is none
nlohmann::json comparison(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::stages
