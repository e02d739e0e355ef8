#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/stage.h"
#include "evaluating/sage/trajectory.h"
#include "statistics/bootstrap.h"

namespace compeer::evaluating::sage {

/// Counts a dialogue that can be scored, for the record's kind ("main_cha", or "character") and "task" too.
void count(const nlohmann::json& record, const Trajectory& trajectory, Outcome& outcome);

/// Counts one that can't.
void count_invalid(const std::string& reason, Outcome& outcome);

/// Table 3 out of the counts, by bootstrap over dialogues:
///   n, columns             dialogues that were scored; the names of the four figures
///   mean_emotion, rounds   means of the last points and of the seeker's utterances: {value, low, high}
///   success, failure       shares of dialogues that end at 100, and below 10; "count" is how many
///   ends                   how many dialogues ended how
///   invalid, reasons       dialogues that can't be scored, and why
///   kinds, tasks           n and the four figures, of the profiles of each kind and task
///   curves.emotion         mean points after each round, from 0, the opening. A dialogue that is over keeps its last
///                          points, so that all means are over the same dialogues; "open" tells how many went on
nlohmann::json summary(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::evaluating::sage
