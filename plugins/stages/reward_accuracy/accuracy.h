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

/// A question that annotators and judges answer, with its possible answers ("words"). Counts of verdicts are named
/// "history: True, False" (annotators' label, then the judge's answer); the figures computed from them are Table 1 of
/// the paper. An answer that can't be parsed counts as "unreadable", which is always wrong.
struct JudgedTopic {
  std::string name;
  std::vector<std::string> words;  ///< the possible answers
};
/// Returns the topics history, emotion, strategy (True, False) and reply (the four preferences).
const std::array<JudgedTopic, 4>& topics();

/// Returns the name of a count.
std::string cell(const JudgedTopic& topic, const std::string& truth, const std::string& answer);

/// Counts one answer, in total and for the record's dialogue.
void count(const nlohmann::json& record, const std::string& cell, Outcome& outcome);

/// Returns for each topic: n, accuracy, weighted_f1, confusion (rows are the annotators' labels); for steps
/// false_recall; for replies better_or_not (accuracy of "equal to the reference or better"); ranked_within_rounds (see
/// below). Figures are {value, low, high}, with intervals by bootstrap over dialogues.
nlohmann::json accuracies(const std::map<std::string, double>& counts, const statistics::Resampling& how);

/// Returns n, confusion, weighted_f1, accuracy and "labels" of any topic; null if no verdict was counted.
nlohmann::json classified(const JudgedTopic& topic, const std::vector<DialogueCounts>& dialogues,
                          const statistics::Resampling& how);

/// GRPO compares the completions of one round, which share their dialogue and reference. A judge may be accurate over
/// many rounds and still not distinguish the completions of one.

/// Counts one verdict about `topic` for ranked_within_rounds: `good` is the annotators' label, `measure` the value a
/// reward would have.
void count_ranked(const nlohmann::json& record, const std::string& topic, bool good, double measure, Outcome& outcome);

/// Returns {value, low, high, pairs}: over all pairs of completions of one round, one labelled good and one bad, the
/// fraction in which the judge's measure of the good one is higher. Ties count one half, so chance is .5. The value is
/// null if there is no such pair. `dialogues`: as `by_dialogue` returns them.
nlohmann::json ranked_within_rounds(const std::vector<DialogueCounts>& dialogues, const std::string& topic,
                                    const statistics::Resampling& how);

}  // namespace compeer::stages
