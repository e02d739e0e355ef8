#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/stage.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// Counts what stands in a record's "truth", a list with an object for each reply, by dialogue and round.
void count_true(const nlohmann::json& record, Outcome& outcome);

/// Means over all replies, with intervals by bootstrap over dialogues; {value, low, high, n}, n replies:
///
///   quality         felt quality (world/quality.h)
///   unhabituated    the same, had nothing been said before: the difference is what repeats cost
///   grammatical     share of replies that the world's grammar knows
///   history, emotion, strategy   share that is right of the steps of replies that had any
///   follows         share of these replies that do what step 3 announces
///
/// `n` dialogues; `columns`; `curves.quality` and `curves.unhabituated`: means of each round, the first one first.
nlohmann::json true_figures(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::stages
