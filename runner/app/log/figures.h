#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/status.h"
#include "record/tensorboard.h"

// Figures, the results of a run with confidence intervals, and the choice of metrics to print for `compeer log`. A
// stage is a step of an evaluation or of making data; it reports results and curves over its rounds.

namespace compeer::app {

/// A result of a run, from its summary.json, with its 95 % interval. NaN: unknown.
struct RunFigure {
  std::string name;
  double mean, low, high;
  uint64_t n;  ///< number of values; 0: unknown
};

/// Returns the figures of a summary, sorted by name. `metrics`: the field of summary.json. A stage's finding with an
/// interval ("01-sage/mean_emotion/value", ".../low", ".../high", ".../n") becomes one figure, "01-sage/mean_emotion".
std::vector<RunFigure> figures_of(const std::map<std::string, statistics::Interval>& metrics);
/// Returns the figures of the run in `folder`; nothing if it has no summary.
std::optional<std::vector<RunFigure>> figures_in(const std::filesystem::path& folder);

/// Returns the figures of an evaluation or data run as scalars for TensorBoard ("summary/NAME", at step `rows`), and
/// the curves of its stages by round ("01-sage/curves/emotion"). `rows`: number of rows in its run.h5. Empty for
/// training runs: their rows are exported instead.
std::vector<record::Scalar> scalars_in(const std::filesystem::path& folder, uint64_t rows);

// Selection and formatting of metrics for people.

/// Unit for displaying a metric: "truncated" 0.125 is shown as 12.5 %.
struct Unit {
  std::string name = "";  ///< "%", "tokens", "MiB"; empty: none
  double factor = 1;      ///< multiplies the recorded value
};
/// Returns the unit of a known metric, otherwise an empty one.
Unit unit_of(const std::string& metric);

/// A metric to be shown under a heading.
struct KeyFigure {
  std::string group;  ///< the heading: "result", "policy", "completions", "cost" or "other"
  std::string name;   ///< name of the metric
};

/// Returns at most ten of `names`: first the most informative ones about a run's progress and result, then others.
/// Never `step`.
std::vector<KeyFigure> key_figures(const std::vector<std::string>& names);

/// Formats a value with four digits; "-" if it is NaN.
std::string figure_text(double value);

/// Formats figures in aligned lines with units and intervals: those that key_figures() chooses, under headings, or,
/// with `all`, every figure in the given order.
std::string figures_text(const std::vector<RunFigure>& figures, bool all = false);

}  // namespace compeer::app
