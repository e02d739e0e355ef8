#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// The better direction of a metric, if it is known.
enum class Better { unknown, higher, lower };

/// Topic of a metric, in page order.
enum class Topic { reward, validation, redundancy, diversity, optimisation, timing, other };

/// Description of a column of run.h5.
struct Metric {
  std::string name;   ///< "rewards/esc_world_truth/quality"
  std::string title;  ///< "quality"
  std::string from;   ///< "esc_world_truth"; empty for the runner's own metrics
  std::string note;   ///< "mean similarity to the other replies of the group"
  Topic topic = Topic::other;
  Better better = Better::unknown;
};

/// Returns the description of a metric. Columns of the runner are known by name. Otherwise: `rewards/LABEL/PART` is a
/// part of a reward, and higher is better unless its name suggests faults; `validation/METRIC` is a metric on held-out
/// records; `seconds/PHASE` is a timing; any other `PLUGIN/FACTOR` belongs to a reweighting.
Metric describe(const std::string& name);

/// Returns the heading of a topic: "Reward", "Redundancy", "Diversity and length", ...
std::string heading(Topic topic);

/// Returns all metrics of the runs (in rows or summary), in reading order: by topic, well-known ones first, then as
/// recorded. Omits bookkeeping (`step`, times).
std::vector<Metric> metrics_of(const std::vector<const RunData*>& runs);

/// Returns the few metrics shown in plots of several runs: the reward (without one, the loss), reward parts called
/// "quality", similarity within the group and to the history, distinct-2. Only those that differ between the runs.
std::vector<Metric> headline(const std::vector<const RunData*>& runs);

// Validation: the same held-out records are evaluated repeatedly during training (a "look"). Columns are
// `validation/METRIC`, NaN at steps without a look. The first metric determines the best look.

/// Returns the validation metrics, the deciding one first; empty without validation.
std::vector<Metric> validation_metrics(const std::vector<const RunData*>& runs);

/// Returns the step of the best look; NaN if there was none.
double best_step(const RunData& run);

/// For a run without a summary: stores the metrics and the step of the best look so far in `run.summary`.
void summarize_looks(RunData& run);

// Findings of the stages of a data run: figures, {"value", "low", "high"}.

/// True if a stage measures something: its findings declare columns or contain a figure.
bool measures(const StageData& stage);

/// Returns all figures of findings by path: "mean_emotion", "reply/weighted_f1". A plain number is a figure without an
/// interval. `columns`, `curves` and `better` are not figures.
std::map<std::string, Interval> figures_of(const nlohmann::json& findings);

/// Returns the numbers of scores that the findings declare `invalid`, by reason, without those of records in
/// `stage.dropped`.
std::map<std::string, double> invalid_scores(const StageData& stage);

/// Replaces underscores: "mean_emotion" -> "mean emotion".
std::string spaced(std::string name);

/// Returns which direction is better, by the last part of a figure's path, from the findings' {"better": {"higher":
/// ["success"], "lower": ["failure"]}}.
std::map<std::string, Better> ways_of(const nlohmann::json& findings);
/// Returns the better direction of the figure with this path.
Better better_of(const std::map<std::string, Better>& ways, const std::string& path);

}  // namespace compeer::report
