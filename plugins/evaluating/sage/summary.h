#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/stage.h"
#include "evaluating/sage/trajectory.h"
#include "statistics/bootstrap.h"

namespace compeer::evaluating::sage {

/// Adds counts of a scored dialogue to `outcome`, with the record's kind ("main_cha", or "character") and "task".
void count(const nlohmann::json& record, const Trajectory& trajectory, Outcome& outcome);

/// Adds the count of a dialogue that can't be scored.
void count_invalid(const std::string& reason, Outcome& outcome);

/// Returns the figures of Table 3, computed from the counts, with intervals by bootstrap over dialogues:
///
///   n, columns             number of scored dialogues; names of the four figures
///   mean_emotion, rounds   means of the final points and of the number of the seeker's utterances: {value, low, high}
///   success, failure       fractions of dialogues that end at 100 points and below 10; "count": their number
///   ends                   number of dialogues for each ending
///   invalid, reasons       number of dialogues that can't be scored, in total and for each reason
///   kinds, tasks           n and the four figures for each kind and task
///   curves.emotion         mean points after each round; round 0 is the first utterance. A finished dialogue keeps its
///                          final points, so every mean includes all dialogues; "open": those not yet finished
nlohmann::json summary(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::evaluating::sage
