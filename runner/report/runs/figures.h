#pragma once
#include <map>
#include <string>

#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What stages of a data run have found out: figures, {"value", "low", "high"}.

/// Whether a stage measures something, and does not only make records.
bool measures(const StageData& stage);

/// All figures of findings by their paths: "mean_emotion", "reply/weighted_f1". A plain number is one without an
/// interval. `columns` and `curves` are none.
std::map<std::string, Interval> figures_of(const nlohmann::json& findings);

/// What a stage's findings call `invalid`, by reason: scores without a number behind them. Not what was dropped for
/// being so: that is in `stage.dropped`.
std::map<std::string, double> invalid_scores(const StageData& stage);

/// "mean_emotion" -> "mean emotion".
std::string spaced(std::string name);

/// Which way is better, for figures by the last part of their paths: {"better": {"higher": ["success"], "lower":
/// ["failure"]}} in findings. Of others it is unknown.
std::map<std::string, Better> ways_of(const nlohmann::json& findings);
Better better_of(const std::map<std::string, Better>& ways, const std::string& path);

}  // namespace compeer::report
