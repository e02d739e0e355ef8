#pragma once
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "stages/by_dialogue.h"
#include "statistics/bootstrap.h"

// Accuracy of a judge against annotators' labels, for the stages reward_accuracy and label_choice of a data run (Table
// 1 of the paper). A judge is a language model that decides about a completion whether its three reasoning steps are
// right and whether its reply is as good as a reference reply. A stage reports named counts for each record
// (Outcome::counts); the figures are computed from their sums.

namespace compeer::stages {

/// A question that annotators and judges answer, with its possible answers. An answer of the judge that can't be parsed
/// counts as "unreadable", which is always wrong.
struct JudgedTopic {
  std::string name;                ///< such as "emotion"
  std::vector<std::string> words;  ///< the possible answers
};
/// Returns the four topics: history, emotion and strategy with the answers True and False, reply with the four answers
/// of empathy::Preferences.
const std::array<JudgedTopic, 4>& topics();

/// Returns the name of the count of answers with this annotators' label (`truth`) and this judge's answer, a cell of
/// the confusion matrix: "history: True, False".
std::string cell(const JudgedTopic& topic, const std::string& truth, const std::string& answer);

/// Counts one answer in the outcome of `record`, in total and for the record's dialogue. `cell`: the name of the count.
void count(const nlohmann::json& record, const std::string& cell, Outcome& outcome);

/// Returns an object with the figures of each counted topic, by its name. `counts`: the sums over all records; `how`:
/// parameters of the bootstrap over dialogues. Figures are {value, low, high}:
///
///   n, confusion          number of answers; matrix [label][answer], with "unreadable" as last row and column
///   accuracy, weighted_f1
///   false_recall          steps: share of the steps labelled False that the judge finds
///   better_or_not         replies: accuracy of the verdict whether the reply is at least as good as the reference
///   ranked_within_rounds  the result of the function `ranked_within_rounds`
nlohmann::json accuracies(const std::map<std::string, double>& counts, const statistics::Resampling& how);

/// Returns n, confusion, weighted_f1 and accuracy of one topic, which need not be among `topics()`, and its answers as
/// "labels"; null if no answer was counted. `dialogues`: a result of `by_dialogue`.
nlohmann::json classified(const JudgedTopic& topic, const std::vector<DialogueCounts>& dialogues,
                          const statistics::Resampling& how);

// GRPO compares the completions of one round, which share their dialogue and reference. A judge may be accurate over
// many rounds and still not distinguish the completions of one.

/// Counts one verdict about a topic, for `ranked_within_rounds`. `topic`: its name. `good`: true if the annotators
/// label the step as right or the reply as good. `measure`: the judge's verdict as a reward uses it, between -1 and 1.
void count_ranked(const nlohmann::json& record, const std::string& topic, bool good, double measure, Outcome& outcome);

/// Returns {value, low, high, pairs} for the topic with this name. A pair consists of two completions of one round, one
/// labelled good and one bad; "pairs" is the number of pairs. The value is the share of pairs in which the judge's
/// measure of the good one is higher; ties count one half, so chance is 0.5. It is null if there is no pair.
/// `dialogues`: a result of `by_dialogue`.
nlohmann::json ranked_within_rounds(const std::vector<DialogueCounts>& dialogues, const std::string& topic,
                                    const statistics::Resampling& how);

}  // namespace compeer::stages
