#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What a study asked of its runs: metrics by settings, over the runs of each combination, and how they differ pair by
/// pair from base runs. A script has computed it, or `swept` found it; the page shows it.
struct Sweep {
  struct Value {
    std::string text;
    double number = missing;  ///< NaN: it is no number
  };
  struct Row {
    std::vector<Value> settings;
    std::vector<Interval> metrics;  ///< not known(): no run of the row has it
    size_t finished = 0, failed = 0;
  };
  struct Part {
    std::vector<std::string> settings;
    std::vector<Row> rows;
  };

  std::vector<std::string> metrics;
  Part means;
  Part differences;                ///< without rows: nothing was compared
  std::string base, paired_by;     ///< "reweighting.plugin = none", "seed"
  std::vector<std::string> notes;  ///< runs that failed, and that have no partner
};

/// For each metric a plot: over two settings a heat map; else over the first setting (a line with a band if it is a
/// number with three values or more, else dots); a plot of the differences, and tables of both.
void write_sweep(Markup& out, const Sweep& sweep);

/// The sweep that these runs are, if they are one: training runs or evaluations that differ in one setting or two, and
/// in seeds. Settings that only belong to one of several plugins ("reweighting.alpha") count as part of the choice of
/// plugin; what runs of the same seed have in common, such as the model they start from, is no setting, and evaluations
/// of several models are no sweep. The metrics are those that findings are about, and the loss where there is no
/// reward.
std::optional<Sweep> swept(const std::vector<RunData>& runs);

}  // namespace compeer::report
