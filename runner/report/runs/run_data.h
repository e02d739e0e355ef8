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

/// Numbers by name, in the order in which they were recorded: "reward", "rewards/length/score", "advantage".
using Values = std::vector<std::pair<std::string, double>>;

/// One completion of a group, as recorded.
struct SampledCompletion {
  std::string text;
  int64_t tokens = 0;
  bool finished = true;  ///< false if cut off at the length limit
  Values values;
};

/// The completions of one prompt, which were compared with each other.
struct SampleGroup {
  int64_t step = 0;
  std::string example_id;
  std::string prompt;  ///< as the model was shown it, chat markup included
  std::vector<SampledCompletion> completions;
};

/// A stage of a data run: what became of records, and what it found out about them.
struct StageData {
  std::string name;                        ///< "01-sage", as its files are called
  std::string plugin;                      ///< "sage"; of stage 0, "" (it reads the dataset)
  nlohmann::json settings;                 ///< as in the spec
  int64_t in = 0, out = 0;                 ///< records
  int64_t left_out = 0;                    ///< what was dropped, of all reasons together
  std::map<std::string, int64_t> dropped;  ///< by reason
  std::map<std::string, double> counts;
  nlohmann::json findings = nlohmann::json::object();
  std::vector<nlohmann::json> records;  ///< the first, for showing; those of dialogues have `turns` (load.h)
};

/// All that a report says about one run. `load_run` fills it; whatever can't be read is left empty and named in
/// `problems`, because a report over ten runs should not fail on one broken folder.
struct RunData {
  std::filesystem::path folder;
  std::string name, task, sha256;
  nlohmann::json spec = nlohmann::json::object();  ///< resolved: every default filled in
  /// Specs of runs whose files its spec names, and of those that these used, as far as they are still there. So
  /// repetitions are known as such though only the last of their runs is reported on.
  std::map<std::string, nlohmann::json> used;
  nlohmann::json origins = nlohmann::json::object();  ///< "grpo.lr" -> "experiments/x.toml:14"
  nlohmann::json plugins = nlohmann::json::array();   ///< [{kind, name, version, sha256, path}]
  nlohmann::json history = nlohmann::json::array();   ///< changes after the run began (spec/history.h)
  std::map<std::string, std::string> sources;         ///< "scripts/x.lua" -> its text

  std::vector<std::string> recorded;                   ///< names of the columns, in the order they were recorded
  std::map<std::string, std::vector<double>> columns;  ///< one value per row; NaN where a row has none
  /// Means over the prompts (evaluate) or the last rows; what was validated, as it was at the best look.
  std::map<std::string, Interval> summary;

  std::string state;  ///< starting, running, finished, failed, preempted, stopped (no longer running, and no reason
                      ///< left); empty if unknown
  int64_t steps_done = 0, steps_planned = 0;
  std::string started;
  double elapsed = missing;  ///< seconds
  std::optional<record::ErrorRecord> failure;
  std::vector<SampleGroup> groups;  ///< a few, for showing (load.h says which)
  /// evaluate only: metric -> example -> mean over its completions. Lets two runs be compared prompt by prompt.
  std::map<std::string, std::map<std::string, double>> per_prompt;
  std::vector<StageData> stages;  ///< data only
  std::string software, host;
  int64_t ranks = 0;
  std::vector<std::string> warnings;  ///< what the run itself warned of: "step 12: 3 groups dropped"
  std::vector<std::string> remarks;   ///< changes after it began; why it ended early; records not used as they are
  std::vector<std::string> problems;  ///< what could not be read, or was changed: "run.h5: no such file"

  bool finished() const { return state == "finished"; }
  /// spec[section][key], null if it is not there.
  nlohmann::json setting(const char* section, const char* key) const;
  bool greedy() const;              ///< decoding took the likeliest token
  std::string start_model() const;  ///< spec.model.path, or "" for a model made from a config
  size_t rows() const;              ///< of the longest column
  const std::vector<double>* column(const std::string& metric) const;
  Interval estimate(const std::string& metric) const;
};

/// A text in a table of a file that anybody may have written; "" if there is none.
std::string text_in(const nlohmann::json& table, const char* key);

}  // namespace compeer::report
