#pragma once
#include <string>
#include <vector>

#include "script/actions.h"
#include "spec/spec.h"

namespace compeer::script {

/// The value at a dotted path, or nullptr. Throws Error if the path is malformed.
const spec::json* look(const spec::json& values, const std::string& path);

/// Error: there is nothing at the path, with the nearest name in the last table that is there. `owner` is what has no
/// such setting: "the experiment".
[[noreturn]] void refuse_path(const std::string& owner, const spec::json& values, const std::string& path);

/// A value as people read it: texts without quotes.
std::string show(const spec::json& value);

/// What a script may see of a run's settings: all but the texts of files that they name, which it couldn't read itself.
spec::json visible(const spec::Spec& spec);

// Names of figures, which are the metrics of runs. A name may leave out what stands before it, the number of a stage
// and a final "/value", and may have dots for slashes: "weighted_f1", "history.weighted_f1" and
// "reward_accuracy.history.weighted_f1" all stand for "01-reward_accuracy/history/weighted_f1/value". A complete name
// comes first, so "reward" is never "rewards/format/reward"; then a figure at the top level of one stage, so
// "weighted_f1" is "01-reward_accuracy/weighted_f1/value" if there is one.

/// The metric of `names` that `asked` stands for, or "". Several are an Error that names them.
std::string find_figure(const std::vector<std::string>& names, const std::string& asked);

/// The whole names of a run's metrics.
std::vector<std::string> metric_names(const RunResult& run);

/// The metric of a run that finished, or nullptr.
const Estimate* look_up(const RunResult& run, const std::string& figure);

/// The same; an unknown one is an Error with the nearest name.
const Estimate& metric(const RunResult& run, const std::string& figure);

/// Throws Error: the run has no such metric; with the nearest of `known`.
[[noreturn]] void refuse_metric(const RunResult& run, const std::string& figure, const std::vector<std::string>& known);

/// Of a run that was not made yet: whether it may have this figure, as far as that is known. Throws as `find_figure` if
/// the name fits several of those that are known.
bool may_have(const RunResult& run, const std::string& figure);

/// The help of an Error about an unknown figure: the nearest name, and all of them in short.
std::string suggest_figure(const std::string& asked, const std::vector<std::string>& names);

}  // namespace compeer::script
