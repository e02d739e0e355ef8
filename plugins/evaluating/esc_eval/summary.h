#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/stage.h"
#include "evaluating/esc_eval/score.h"
#include "statistics/bootstrap.h"

// The figures of the evaluation ESC-Eval, computed from scores of dialogues in seven dimensions by one or two judges.
// As in every stage of a data run, each record (here a dialogue) adds named counts to its outcome, and the summary of
// the run is computed from all counts at the end.

namespace compeer::evaluating::esc_eval {

/// Adds counts for one dialogue to `outcome`: the scores of each judge, and the groups that the dialogue belongs to by
/// the record's "language", "source" and "category" (published: "res"). The record needs "id".
void count(const nlohmann::json& record, const ScoresByJudge& judged, Outcome& outcome);

/// Returns the summary for Table 2 of the paper. `counts`: the counts of all dialogues (count name -> value); `how`:
/// the bootstrap's settings. A figure is {value, low, high, n}: the mean over judges of each judge's mean over its
/// valid scores, times 25 (so from 0 to 100); its interval by bootstrap over dialogues; the number of dialogues with a
/// valid score. Invalid scores enter no mean. The keys of the result are:
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
