#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/status.h"
#include "record/tensorboard.h"

namespace compeer::app {

/// What a run came to, as its summary.json tells. NaN: not known.
struct RunFigure {
  std::string name;
  double mean, low, high;
  uint64_t n;
};

/// Those of a summary by name; what a stage found with an interval ("01-sage/mean_emotion/value", ".../low",
/// ".../high") as one, "01-sage/mean_emotion".
std::vector<RunFigure> figures_of(const std::map<std::string, statistics::Interval>& metrics);
/// All of a run. Nothing if it left no summary.
std::optional<std::vector<RunFigure>> figures_in(const std::filesystem::path& folder);

/// The same beside the rows of a file for TensorBoard, at step `rows`, of runs that evaluate (others have their rows to
/// tell); and the curves of findings, at each round: "01-sage/curves/emotion".
std::vector<record::Scalar> scalars_in(const std::filesystem::path& folder, uint64_t rows);

// Which of a run's many metrics are shown first, and how they are written for people.

/// How a metric is shown: 0.125 of "truncated" as 12.5 %.
struct Unit {
  std::string name = "";  ///< "%", "tokens", "MiB"; empty: the number stands for itself
  double factor = 1;      ///< by which what was recorded is multiplied
};
Unit unit_of(const std::string& metric);

/// A metric, and under which heading it stands.
struct KeyFigure {
  std::string group, name;
};

/// At most ten of these names: those that tell how a run goes or what it came to, the most telling first. A run with
/// few metrics has all of them among these.
std::vector<KeyFigure> key_figures(const std::vector<std::string>& names);

/// Figures with units and intervals in aligned lines: the key ones under headings, or all of them by name.
std::string figures_text(const std::vector<RunFigure>& figures, bool all = false);

}  // namespace compeer::app
