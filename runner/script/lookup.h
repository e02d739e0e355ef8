#pragma once
#include <string>
#include <vector>

#include "script/actions.h"
#include "spec/spec.h"

namespace compeer::script {

/// Returns the value at a dotted path of a spec's values, or nullptr. The path may have names that settings had in the
/// version before. Throws Error (exit 3) if the path is malformed.
const spec::json* look(const spec::json& values, const std::string& path);

/// Throws Error (exit 3): "OWNER has no 'PATH'", with the nearest key of the innermost table on the path that exists.
/// `owner` is a noun such as "the experiment".
[[noreturn]] void refuse_path(const std::string& owner, const spec::json& values, const std::string& path);

/// Returns a value as text; strings without quotes.
std::string show(const spec::json& value);

/// Returns the settings of a run that a script may read: all except the texts of files that they name, since a script
/// can't read files.
spec::json visible(const spec::Spec& spec);

// Short names of metrics. Scripts and these functions call a metric a figure. A short name may omit leading parts, the
// number of a stage and a final "/value", and may use dots for slashes: "weighted_f1", "history.weighted_f1" and
// "reward_accuracy.history.weighted_f1" can all mean "01-reward_accuracy/history/weighted_f1/value". An exact match
// takes precedence, then a match without leading parts, so that "reward" never means "rewards/format/reward"; then the
// only match at the top level of a stage, so that "weighted_f1" means "01-reward_accuracy/weighted_f1/value".

/// Returns the full name in `names` for the short name `asked`, or "". Throws Error (exit 3) that lists the matches if
/// there are several.
std::string find_figure(const std::vector<std::string>& names, const std::string& asked);

/// Returns the full names of a run's metrics.
std::vector<std::string> metric_names(const RunResult& run);

/// Returns a metric by full or short name, or nullptr. `run` owns it. Throws as `find_figure` does.
const Estimate* look_up(const RunResult& run, const std::string& figure);

/// The same, but throws Error (exit 3) with the nearest name if the run has no such metric.
const Estimate& metric(const RunResult& run, const std::string& figure);

/// Throws Error (exit 3): the run has no such metric; with the nearest name in `known` as help.
[[noreturn]] void refuse_metric(const RunResult& run, const std::string& figure, const std::vector<std::string>& known);

/// True if a planned run will or may have this metric; always true if its metrics are unknown. Throws as `find_figure`
/// does.
bool may_have(const RunResult& run, const std::string& figure);

/// Returns help for an unknown metric: the nearest name, and the short form of all names.
std::string suggest_figure(const std::string& asked, const std::vector<std::string>& names);

}  // namespace compeer::script
