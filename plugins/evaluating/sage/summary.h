#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/stage.h"
#include "evaluating/sage/trajectory.h"
#include "statistics/bootstrap.h"

// The figures of the evaluation SAGE, computed from the course of a simulated seeker's emotion points in each dialogue.
// As in every stage of a data run, each record (here a dialogue) adds named counts to its outcome, and the summary of
// the run is computed from all counts at the end.

namespace compeer::evaluating::sage {

/// Adds counts for a scored dialogue to `outcome`: its points and ending, and the groups that it belongs to by the
/// record's kind of seeker ("main_cha", or "character") and "task". The record needs "id".
void count(const nlohmann::json& record, const Trajectory& trajectory, Outcome& outcome);

/// Adds the count of a dialogue that can't be scored; `reason`: a category such as "not ended".
void count_invalid(const std::string& reason, Outcome& outcome);

/// Returns the summary for Table 3 of the paper. `counts`: the counts of all dialogues (count name -> value); `how`:
/// the settings of the bootstrap over dialogues, which gives the intervals from low to high. The keys of the result
/// are:
///
///   n, columns             number of scored dialogues; names of the four figures
///   mean_emotion, rounds   means of the final points and of the number of the seeker's utterances: {value, low, high}
///   success, failure       fractions of dialogues that end at 100 points and below 10; "count": their number
///   ends                   number of dialogues for each ending (success, failure, goodbye, limit)
///   invalid, reasons       number of dialogues that can't be scored, in total and for each reason
///   kinds, tasks           n and the four figures for each kind and task
///   curves.emotion         mean points after each round; round 0 is the first utterance. A finished dialogue keeps its
///                          final points, so every mean includes all dialogues; "open": those not yet finished
nlohmann::json summary(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::evaluating::sage
