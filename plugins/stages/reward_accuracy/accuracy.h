#pragma once
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "stages/by_dialogue.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// A judge's answers against the annotators', as counts named "history: True, False" (truth, then answer), and what
/// follows from them: Table 1 of the paper. Answers that could not be read count as "unreadable", which is never right.
struct JudgedTopic {
  std::string name;
  std::vector<std::string> words;  ///< the labels
};
const std::array<JudgedTopic, 4>& topics();

std::string cell(const JudgedTopic& topic, const std::string& truth, const std::string& answer);

/// Counts one answer, for the record's dialogue and in all.
void count(const nlohmann::json& record, const std::string& cell, Outcome& outcome);

/// For each topic: n, accuracy, weighted_f1, confusion (rows are the truth), and of a step false_recall, of the
/// replies better_or_not (equal to the reference or better, against worse); ranked_within_rounds (below). A
/// figure is {value, low, high}, the interval by bootstrap over dialogues.
nlohmann::json accuracies(const std::map<std::string, double>& counts, const statistics::Resampling& how);

/// The first four of these for any topic, and its "labels"; null if nobody was asked.
nlohmann::json classified(const JudgedTopic& topic, const std::vector<DialogueCounts>& dialogues,
                          const statistics::Resampling& how);

/// GRPO compares completions of one round, which share their dialogue and the supporter's reply. A judge may be right
/// about many rounds and yet tell nothing of these.

/// Counts one verdict about `topic`: `good` is what the annotators say, `measure` what a reward would make of it.
void count_ranked(const nlohmann::json& record, const std::string& topic, bool good, double measure, Outcome& outcome);

/// Of all pairs of completions of one round of which the annotators call one good and the other bad, the share that the
/// judge measures in that order, ties counting one half: {value, low, high, pairs}, .5 by chance. Null if there is no
/// such pair. `dialogues` as of `by_dialogue`.
nlohmann::json ranked_within_rounds(const std::vector<DialogueCounts>& dialogues, const std::string& topic,
                                    const statistics::Resampling& how);

}  // namespace compeer::stages
