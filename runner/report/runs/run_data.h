#pragma once
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/status.h"
#include "statistics/interval.h"

namespace compeer::report {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

using statistics::Interval;

/// Numbers by name, in recorded order: "reward", "rewards/length/score", "advantage".
using Values = std::vector<std::pair<std::string, double>>;

/// A recorded completion.
struct SampledCompletion {
  std::string text;
  int64_t tokens = 0;
  bool finished = true;  ///< false if cut off at the length limit
  Values values;         ///< recorded values, such as scores
};

/// The completions of one prompt.
struct SampleGroup {
  int64_t step = 0;
  std::string example_id;
  std::string prompt;  ///< prompt text, including chat markup
  std::vector<SampledCompletion> completions;
};

/// One stage of a data run: statistics and results.
struct StageData {
  std::string name;                        ///< "01-sage", the stem of its files
  std::string plugin;                      ///< "sage"; empty for stage 0, which reads the dataset
  nlohmann::json settings;                 ///< settings in the spec
  int64_t in = 0, out = 0;                 ///< numbers of records
  int64_t left_out = 0;                    ///< number of dropped records
  std::map<std::string, int64_t> dropped;  ///< number of dropped records by reason
  std::map<std::string, double> counts;
  nlohmann::json findings = nlohmann::json::object();
  std::vector<nlohmann::json> records;  ///< the first records, for display; dialogues have `turns` (load.h)
};

/// Everything that a report shows of one run. `load_run` fills it; unreadable parts are left empty and listed in
/// `problems`, so that a report over many runs does not fail because of one damaged folder.
struct RunData {
  std::filesystem::path folder;
  std::string name, task, sha256;
  nlohmann::json spec = nlohmann::json::object();  ///< resolved, including defaults
  /// Specs of runs whose files `spec` names, and of those that these used in turn, by path, as far as they exist.
  /// Needed to recognize repetitions if only the last of their runs is in the report.
  std::map<std::string, nlohmann::json> used_specs;
  nlohmann::json origins = nlohmann::json::object();  ///< "grpo.lr" -> "experiments/x.toml:14"
  nlohmann::json plugins = nlohmann::json::array();   ///< [{kind, name, version, sha256, path}]
  nlohmann::json history = nlohmann::json::array();   ///< changes after the run began (spec/history.h)
  std::map<std::string, std::string> sources;         ///< "scripts/x.lua" -> its text

  std::vector<std::string> recorded;                   ///< names of the columns, in recorded order
  std::map<std::string, std::vector<double>> columns;  ///< one value per row; NaN if a row has none
  /// Means over the prompts (evaluate) or the last rows (training); validation metrics at the best look.
  std::map<std::string, Interval> summary;

  /// "starting", "running", "finished", "failed", "preempted", or "stopped" (not running, without a recorded reason);
  /// empty if unknown.
  std::string state;
  int64_t steps_done = 0, steps_planned = 0;
  std::string started;
  double elapsed = missing;  ///< seconds
  std::optional<record::ErrorRecord> failure;
  std::vector<SampleGroup> groups;  ///< a few, for display (load.h)
  /// For evaluate runs: metric -> example -> mean over its completions, for comparing two runs prompt by prompt.
  std::map<std::string, std::map<std::string, double>> per_prompt;
  std::vector<StageData> stages;  ///< data runs only
  std::string software, host;
  int64_t ranks = 0;
  std::vector<std::string> warnings;  ///< warnings recorded by the run: "step 12: 3 groups dropped"
  std::vector<std::string> remarks;   ///< later changes of the spec; why it ended early; records not used as they are
  std::vector<std::string> problems;  ///< unreadable or modified files: "run.h5: no such file"

  bool finished() const { return state == "finished"; }
  /// Returns spec[section][key], or null if it is missing.
  nlohmann::json setting(const char* section, const char* key) const;
  bool greedy() const;              ///< greedy decoding
  std::string start_model() const;  ///< spec.model.path, or "" for a model made from a config
  size_t rows() const;              ///< length of the longest column
  /// Returns the column of a metric, or null.
  const std::vector<double>* column(const std::string& metric) const;
  /// Returns the value of a metric in `summary`; not known() if it is missing.
  Interval estimate(const std::string& metric) const;
};

/// Returns the string `key` of a table that comes from an untrusted file; "" if there is none.
std::string text_in(const nlohmann::json& table, const char* key);

}  // namespace compeer::report
