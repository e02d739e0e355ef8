#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

/// Descriptions of metrics for plots and tables: their titles, topics, and whether higher or lower is better. A metric
/// is a column of run.h5, which the run logs in each step, or a figure: a result of a stage that evaluates something.
namespace compeer::report {

/// The better direction of a metric, if it is known.
enum class Better { unknown, higher, lower };

/// Topic of a metric, in page order.
enum class Topic {
  reward,        ///< the reward and its parts
  validation,    ///< metrics on held-out records
  redundancy,    ///< similarity of completions to each other and to the history; numbers of a reweighting
  diversity,     ///< diversity and length of completions
  optimisation,  ///< loss, KL, gradients, learning rate, speed, memory
  timing,        ///< seconds per phase of a step
  other
};

/// Description of a metric.
struct Metric {
  std::string name;   ///< "rewards/esc_world_truth/quality": name of the column, or path of the figure
  std::string title;  ///< "quality": short name for headings
  std::string from;   ///< "esc_world_truth": plugin that computes it; empty for the runner's own metrics
  std::string note;   ///< explanation: "mean similarity to the other replies of the group"; may be empty
  Topic topic = Topic::other;
  Better better = Better::unknown;
};

/// Returns the description of a column of run.h5. Columns of the runner are known by name. Otherwise:
/// `rewards/LABEL/PART` is a part of a reward, and higher is better unless its name suggests faults;
/// `validation/METRIC` is a metric on held-out records; `seconds/PHASE` is a timing; any other `PLUGIN/FACTOR` belongs
/// to a reweighting.
Metric describe(const std::string& name);

/// Returns the heading of a topic: "Reward", "Redundancy", "Diversity and length", ...
std::string heading(Topic topic);

/// Returns all metrics of the runs (in rows or summary), in reading order: by topic, well-known ones first, then as
/// recorded. Omits bookkeeping (`step`, times).
std::vector<Metric> metrics_of(const std::vector<const RunData*>& runs);

/// Returns the few most important metrics, for plots that compare several runs: the reward (without one, the loss),
/// reward parts called "quality", similarity within the group and to the history, distinct-2. Only those that differ
/// between the runs.
std::vector<Metric> headline(const std::vector<const RunData*>& runs);

// Validation: the same held-out records are evaluated at some steps during training. Columns are `validation/METRIC`,
// NaN at the other steps. The best validation is the one with the best value of the first metric.

/// Returns the validation metrics, the one that determines the best validation first; empty without validation.
std::vector<Metric> validation_metrics(const std::vector<const RunData*>& runs);

/// Returns the step of the best validation; NaN without validation.
double best_step(const RunData& run);

/// For a run without summary.json: stores the metrics and the step of the best validation so far in `run.summary`.
void summarize_validation(RunData& run);

// Findings of the stages of a data run: a JSON object of figures, {"value", "low", "high"}: a number with its 95 %
// interval. A figure's path consists of the names of the objects around it and its own.

/// True if a stage measures something: its findings declare columns or contain a figure.
bool measures(const StageData& stage);

/// Returns all figures of findings by path: "mean_emotion", "reply/weighted_f1". A plain number is a figure without an
/// interval. `columns`, `curves` and `better` are not figures.
std::map<std::string, Interval> figures_of(const nlohmann::json& findings);

/// Returns the numbers of scores that are missing from the figures of a stage because they were invalid, by reason.
/// They come from the findings' objects "invalid" and "reasons". Omits those of records in `stage.dropped`.
std::map<std::string, double> invalid_scores(const StageData& stage);

/// Replaces underscores: "mean_emotion" -> "mean emotion".
std::string spaced(std::string name);

/// Returns which direction is better for the figures named in the findings' {"better": {"higher": ["success"], "lower":
/// ["failure"]}}, by the last part of a figure's path: success -> higher, failure -> lower.
std::map<std::string, Better> directions_of(const nlohmann::json& findings);
/// Returns the better direction of the figure with this path. `directions`: the result of directions_of().
Better better_of(const std::map<std::string, Better>& directions, const std::string& path);

}  // namespace compeer::report
