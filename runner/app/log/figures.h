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

}  // namespace compeer::app
