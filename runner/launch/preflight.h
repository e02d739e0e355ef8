#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "spec/spec.h"

// Checks and estimates before runs start. A spec is the set of all settings of a run. Its plugins are constructed in a
// separate process, the worker, so that a crash can't end the front end.

namespace compeer::launch {

/// Trial construction of the plugins of runs. It finds errors that a descriptor can't show, such as a script that does
/// not compile or a prompt with an unknown slot, in a second instead of hours into a study.
class PluginTrial {
 public:
  /// Constructs the plugins of each spec as its run will and returns the names of the metrics that the run will report;
  /// empty if they are not known beforehand. Existing inputs of the specs must be pinned, that is, their hashes must be
  /// in the spec. Throws the Error of a plugin that can't be constructed; Error (exit code 5: plugin) that names a
  /// plugin which crashed or took more than 300 seconds; Error (exit code 4: invalid data) for a split without records
  /// or a checkpoint that was modified after it was written. Results are [spec][metric]. Plugins that were constructed
  /// successfully are not constructed again for other specs with the same plugin settings and inputs.
  std::vector<std::vector<std::string>> columns(const std::vector<spec::Spec>& specs);

 private:
  // Settings and inputs that determine the construction of plugins, as JSON text -> the metrics of such a run.
  std::map<std::string, std::vector<std::string>> known_;
  std::set<std::string> unmodified_;  // `inputs` tables, as JSON text, with checkpoints that were found unmodified
};

/// Estimates for dry runs: the number of records that runs read, and the memory of each of their processes (ranks).
class Preview {
 public:
  /// Adds a run, whose folder is `folder`. A run may read files that runs added before it will write.
  void add(const spec::Spec& spec, const std::string& folder);

  /// Computes the estimates in a worker process and returns a few lines per run for the user; "" if there are no runs.
  std::string text() const;

 private:
  std::vector<std::string> names_;                 // names of the runs
  nlohmann::json runs_ = nlohmann::json::array();  // for each run {"file": its spec, "folder": its folder}
};

}  // namespace compeer::launch
