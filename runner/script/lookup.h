#pragma once
#include <string>
#include <vector>

#include "script/actions.h"
#include "spec/spec.h"

// How scripts find settings and metrics of runs by name, and the errors for unknown names.

namespace compeer::script {

/// Returns the value at a dotted path ("grpo.lr") in `values`, the settings of a run, or nullptr if there is none.
/// `values` owns it. The path may use names that settings had in the previous version of the program. Throws Error
/// (exit code 3: mistake in a spec or script) if the path is malformed.
const spec::json* look(const spec::json& values, const std::string& path);

/// Throws Error (exit code 3): "OWNER has no 'PATH'". Its help is the nearest key of the innermost table on the path
/// that exists in `values`. `owner` is a noun such as "the experiment".
[[noreturn]] void refuse_path(const std::string& owner, const spec::json& values, const std::string& path);

/// Returns the value of a setting as text for messages and tables; strings without quotes, control characters escaped.
std::string show(const spec::json& value);

/// Returns the settings of a run that a script may read: all except those whose value is the text of a file, since a
/// script can't read files.
spec::json visible(const spec::Spec& spec);

// Short names of metrics. A metric is also called a figure. A full name is a path: "rewards/judge/reward", or, in a
// data run, "<number>-<stage>/.../value". A short name may omit leading parts, the number of a stage and a final
// "/value", and may use dots for slashes: "weighted_f1", "history.weighted_f1" and
// "reward_accuracy.history.weighted_f1" can all mean "01-reward_accuracy/history/weighted_f1/value". An exact match
// takes precedence, then a match of the whole name but for stage number and "/value", so that "reward" never means
// "rewards/format/reward"; then the only match at the top level of a stage, so that "weighted_f1" means
// "01-reward_accuracy/weighted_f1/value".

/// Returns the one of the full names `names` that the short or full name `asked` means; "" if none. Throws Error (exit
/// code 3) that lists the matches if there are several.
std::string find_figure(const std::vector<std::string>& names, const std::string& asked);

/// Returns the full names of a run's metrics, sorted.
std::vector<std::string> metric_names(const RunResult& run);

/// Returns the metric with the full or short name `figure`, or nullptr. `run` owns it. Throws as `find_figure` does.
const Estimate* look_up(const RunResult& run, const std::string& figure);

/// The same, but throws Error (exit code 3) with the nearest name if the run has no such metric.
const Estimate& metric(const RunResult& run, const std::string& figure);

/// Throws Error (exit code 3): the run has no such metric. Its help is the nearest name in `known`, full names.
[[noreturn]] void refuse_metric(const RunResult& run, const std::string& figure, const std::vector<std::string>& known);

/// True if a planned run (one that a dry run did not start) will or may have this metric; always true if its future
/// metrics are unknown. Throws as `find_figure` does.
bool may_have(const RunResult& run, const std::string& figure);

/// Returns the help of an error about the unknown metric `asked`: the nearest name, and the short forms of `names`.
std::string suggest_figure(const std::string& asked, const std::vector<std::string>& names);

}  // namespace compeer::script
