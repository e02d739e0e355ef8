#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/comparing/evaluations.h"
#include "report/drawing/markup.h"
#include "report/drawing/table.h"
#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What the section of evaluations is made of (sections.h).

/// Figures of a group's candidates, a row for each. With a topic, those of "TOPIC/METRIC" instead of "METRIC".
struct FigureRows {
  std::string heading;
  const EvaluationGroup* group;
  std::string topic = "";
};

/// A column for each metric. All groups of rows print a metric with the same decimals, and mark in it (if `marked`) the
/// best candidate of their group, the second best, and those that can't be told from the best.
struct FigureTable {
  std::string caption, corner;
  std::vector<Metric> metrics;
  std::vector<FigureRows> rows;
  std::string counted = "";  ///< what the first column counts: "prompts", "records"; "": there is none
  bool marked = true;
};
void write(Markup& out, const std::vector<RunData>& runs, const FigureTable& table);

/// " ↑" or " ↓", where it is known which way is better.
std::string arrow(Better better);

/// A dot with its interval for each candidate, on one axis for all groups. Nothing if no candidate has the metric.
void write_dots(Markup& out, const std::vector<RunData>& runs, const std::vector<EvaluationGroup>& groups,
                const Metric& metric, const std::string& id);

/// The curves that stages found, over rounds of a dialogue: one plot for each, with a line in its band for each
/// candidate. Nothing if there are none.
void write_rounds(Markup& out, const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& id);

/// What the findings of a group call `shares`, names of figures that add up to one in each of their topics ("win",
/// "tie", "lose" of "a vs b"), as bars: one for each topic, of each candidate. Nothing if there are none.
void write_shares(Markup& out, const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& id);

/// What the page's findings say of a group. Of evaluate runs: each trained model against the one its training started
/// from by the first of the headline, then trained models against each other by all of it. Of stages: who is best by
/// the headline, and how those that come next differ from it. A difference is called one only if its interval leaves
/// zero out.
std::vector<std::string> sentences_about(const std::vector<RunData>& runs, const Lineage& lineage,
                                         const EvaluationGroup& group);

}  // namespace compeer::report
