#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "statistics/bootstrap.h"
#include "statistics/variety.h"

namespace compeer::stages {

/// What the supporter said in one dialogue, reply after reply, and what a judge made of its variety, if one did.
struct DialogueReplies {
  std::vector<statistics::Words> replies;
  std::optional<double> expression;
};

/// What of a record counts: the assistant's texts in "turns", and under "scores" the number `score`, or the mean of
/// what several judges give it: {"diversity": 3} or {"one": {"diversity": 3}, "two": {...}}.
DialogueReplies spoken_in(const nlohmann::json& record, const std::string& score);

/// "n", dialogues in which there is a reply, and figures {"value", "low", "high"} of them together; null where there is
/// nothing to count. Within a dialogue, with intervals over dialogues:
///
///   repetition           share of a reply's runs of `n` words that an earlier reply of the dialogue has, from the 2nd
///   dialogue_distinct_2  different word pairs over all of a dialogue
///   length               words of a reply
///   silent               share of replies without a word, which repeat nothing and so flatter the other figures
///
/// Over all replies together, without intervals, for they depend on how much there is: distinct_1 to 3, self_bleu,
/// entropy_1 and 2 in bits. "curves" has repetition, length, distinct_2 and self_bleu by round; "expression" how the
/// judge's score goes with repetition and dialogue_distinct_2 over dialogues (Spearman's correlation).
nlohmann::json variety(const std::vector<DialogueReplies>& dialogues, int n, const statistics::Resampling& how);

}  // namespace compeer::stages
