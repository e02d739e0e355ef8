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

/// The data of one run as the report uses it: spec, metrics, results, state, samples and problems, loaded from the
/// files of the run's folder. A run has a task: "grpo" and "sft" train a model, "evaluate" samples completions and
/// scores them, "data" passes records (such as dialogues) through a list of stages. Its spec contains all its settings.
namespace compeer::report {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();  ///< the value of an unknown number

/// A mean (or another number) with its 95 % interval `low`, `high`, which is NaN if there is none, and the number of
/// values `n`.
using statistics::Interval;

/// Numbers of one completion by name, in recorded order: "reward", "rewards/length/score", "advantage".
using Values = std::vector<std::pair<std::string, double>>;

/// A recorded completion: text that a model generated for a prompt.
struct SampledCompletion {
  std::string text;
  int64_t tokens = 0;    ///< number of tokens
  bool finished = true;  ///< false if cut off at the length limit
  Values values;         ///< recorded values, such as scores
};

/// The completions of one prompt in one step.
struct SampleGroup {
  int64_t step = 0;        ///< step of the run, from 1
  std::string example_id;  ///< id of the data-set record that the prompt was made from
  std::string prompt;      ///< prompt text, including chat markup
  std::vector<SampledCompletion> completions;
};

/// One stage of a data run: a plugin that changes, drops or measures records. Statistics and results.
struct StageData {
  std::string name;                        ///< "01-sage": number and label, the stem of its files
  std::string plugin;                      ///< "sage"; empty for stage 0, which reads the dataset
  nlohmann::json settings;                 ///< settings in the spec; of the dataset for stage 0
  int64_t in = 0, out = 0;                 ///< numbers of records read and passed on
  int64_t left_out = 0;                    ///< number of dropped records
  std::map<std::string, int64_t> dropped;  ///< number of dropped records by reason
  std::map<std::string, double> counts;    ///< numbers that the plugin counted, by description
  /// Results of a stage that measures something: figures, {"value", "low", "high"} or plain numbers, in nested objects.
  /// "columns" names those for tables, "curves" are series, "better" names the directions. Empty for other stages.
  nlohmann::json findings = nlohmann::json::object();
  /// The first records that left the stage, for display; empty unless the page shows them. Dialogues have "turns", a
  /// list of {"role", "text"} with further numbers.
  std::vector<nlohmann::json> records;
};

/// Everything that a report shows of one run. `load_run` fills it; unreadable parts are left empty and listed in
/// `problems`, so that a report over many runs does not fail because of one damaged folder.
struct RunData {
  std::filesystem::path folder;                    ///< the run's folder, absolute
  std::string name;                                ///< name in the spec, otherwise that of the folder
  std::string task;                                ///< "grpo", "sft", "evaluate" or "data"; "" if unknown
  std::string sha256;                              ///< SHA-256 of the spec, as recorded in spec.json
  nlohmann::json spec = nlohmann::json::object();  ///< all settings, including defaults
  /// Specs of other runs that this run uses: those of files (checkpoints, records) that `spec` names, and of files that
  /// these specs name in turn, by the path as written. Missing ones are omitted. Needed to recognize repetitions if
  /// only the last of their runs is in the report.
  std::map<std::string, nlohmann::json> used_specs;
  nlohmann::json origins = nlohmann::json::object();  ///< source of each setting: "grpo.lr" -> "experiments/x.toml:14"
  nlohmann::json plugins = nlohmann::json::array();   ///< plugins used: [{kind, name, version, sha256, path}]
  nlohmann::json history = nlohmann::json::array();   ///< changes of the spec after the run began, as in spec.json
  std::map<std::string, std::string> sources;  ///< files that the spec was made from: "scripts/x.lua" -> its text

  std::vector<std::string> recorded;                   ///< names of the columns of run.h5, in recorded order
  std::map<std::string, std::vector<double>> columns;  ///< column -> [row], one row per step; NaN if a row has no value
  /// Results by metric: means over the prompts (evaluate) or over the last rows (training). Validation metrics,
  /// measured several times during training, have the values of the best time.
  std::map<std::string, Interval> summary;

  /// "starting", "running", "finished", "failed", "preempted", "cancelled", or "stopped" (not running, without a
  /// recorded reason); empty if unknown.
  std::string state;
  int64_t steps_done = 0, steps_planned = 0;   ///< numbers of steps; 0 planned steps: unknown
  std::string started;                         ///< UTC time of the first start, "2025-03-01T12:34:56Z"; "" if unknown
  double elapsed = missing;                    ///< running time in seconds, over all starts
  std::optional<record::ErrorRecord> failure;  ///< the recorded failure: rank, cause and advice
  std::vector<SampleGroup> groups;             ///< a few groups of completions, for display
  /// For evaluate runs: metric -> example id -> mean over its completions, for comparing two runs prompt by prompt.
  /// Empty if the run sampled too many completions.
  std::map<std::string, std::map<std::string, double>> per_prompt;
  std::vector<StageData> stages;      ///< data runs only: stage 0 (the dataset), then the stages of the spec in order
  std::string software;               ///< program that wrote run.h5: "compeer 0.1.0"
  std::string host;                   ///< machine of the failed rank; "" without a failure
  int64_t ranks = 0;                  ///< number of ranks (processes); 0: unknown
  std::vector<std::string> warnings;  ///< warnings recorded by the run: "step 12: 3 groups dropped"
  std::vector<std::string> remarks;   ///< later changes of the spec; why it ended early; records not used as they are
  std::vector<std::string> problems;  ///< unreadable or modified files: "run.h5: no such file"

  bool finished() const { return state == "finished"; }
  /// Returns spec[section][key], or null if it is missing.
  nlohmann::json setting(const char* section, const char* key) const;
  bool greedy() const;              ///< true if the setting sampling.greedy is true
  std::string start_model() const;  ///< path of the model that is trained or evaluated; "" for one made from a config
  size_t rows() const;              ///< number of rows: length of the longest column
  /// Returns the column of a metric, [row]; null if there is none.
  const std::vector<double>* column(const std::string& metric) const;
  /// Returns the value of a metric in `summary`; not known() if it is missing.
  Interval estimate(const std::string& metric) const;
};

/// Returns the string member `key` of a JSON value from an untrusted file; "" if the value is not an object or has no
/// such string.
std::string text_in(const nlohmann::json& table, const char* key);

}  // namespace compeer::report
