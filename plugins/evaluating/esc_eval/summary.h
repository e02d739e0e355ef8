#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/stage.h"
#include "evaluating/esc_eval/score.h"
#include "statistics/bootstrap.h"

namespace compeer::evaluating::esc_eval {

/// Adds counts of a dialogue's scores to `outcome`, with the record's "language", "source" and "category" (published:
/// "res").
void count(const nlohmann::json& record, const ScoresByJudge& judged, Outcome& outcome);

/// Returns the figures of Table 2, computed from the counts: {value, low, high, n}, which are scores times 25 (0 to
/// 100) with intervals by bootstrap over dialogues. A figure is the mean over judges of each judge's mean over its
/// valid scores; `n` is the number of dialogues with a valid score. Invalid scores enter no mean.
///
///   n, columns, titles      dialogues with any valid score; keys of the figures, and their names in the paper
///   fluency ... overall     the seven figures; `average` is their mean
///   judges                  the same for each judge
///   languages, sources, categories   the same for each group of dialogues
///   scores                  number of scores if every judge scored every dialogue
///   invalid                 number of missing scores, including those of dialogues a judge did not score at all
///   reasons                 the same by "<judge>, <dimension>"
///   agreement               of the first two judges by name, for each dimension: `n`; the figures `equal` (fraction of
///                           equal scores) and `difference` (mean of first minus second, scale of 100); Cohen's `kappa`
///                           with quadratic weights, or null
nlohmann::json summary(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::evaluating::esc_eval
