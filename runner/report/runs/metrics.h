#pragma once
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// Which direction is better, where that is known.
enum class Better { unknown, higher, lower };

/// What a metric belongs to; the order of the page.
enum class Topic { reward, validation, redundancy, diversity, optimisation, timing, other };

/// What a reader should know about a column of run.h5.
struct Metric {
  std::string name;   ///< "rewards/esc_world_truth/quality"
  std::string title;  ///< "quality"
  std::string from;   ///< "esc_world_truth", or "" for the runner's own
  std::string note;   ///< "mean similarity to the other replies of the group"
  Topic topic = Topic::other;
  Better better = Better::unknown;
};

/// Columns the runner writes are known by name. Of the others, `rewards/LABEL/PART` are reward parts, for which higher
/// is better unless the name speaks of faults; `validation/METRIC` is the metric on held-out records; `seconds/PHASE`
/// are timings; any other `PLUGIN/FACTOR` is a reweighting's.
Metric describe(const std::string& name);

/// "Reward", "Redundancy", "Diversity and length", ...
std::string heading(Topic topic);

/// Every metric that any of the runs has (in its rows or its summary), in reading order: topics as above, in each the
/// well-known ones first, the others as they were recorded. Bookkeeping (`step`, times) is left out.
std::vector<Metric> metrics_of(const std::vector<const RunData*>& runs);

}  // namespace compeer::report
