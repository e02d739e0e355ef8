#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/stage.h"
#include "evaluating/esc_eval/score.h"
#include "statistics/bootstrap.h"

namespace compeer::evaluating::esc_eval {

/// Counts one dialogue's scores, for its "language", "source" and "category" (published: "res") too.
void count(const nlohmann::json& record, const ScoresByJudge& judged, Outcome& outcome);

/// Table 2 out of the counts. Figures are {value, low, high, n}: scores times 25, so from 0 to 100, with intervals by
/// bootstrap over dialogues. A figure is the mean over the judges of each one's mean over its valid scores; `n` is how
/// many dialogues have any, and nothing invalid enters a mean.
///
///   n, columns, titles      dialogues with any valid score; the keys of the figures and the paper's names for them
///   fluency ... overall     the seven figures; `average` is their mean
///   judges                  the same by judge
///   languages, sources, categories   the same, of some dialogues
///   scores                  how many there would be if every judge gave all
///   invalid, reasons        scores that there are not, also of dialogues that a judge of others left out, and
///                           "judge, fluency": whose and how many
///   agreement               of the first two judges: by dimension `n`, `equal` (share), `difference` (mean, first less
///                           second, of 100) as figures; Cohen's `kappa`, distances squared, or null
nlohmann::json summary(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::evaluating::esc_eval
