#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// Trial construction of the plugins of runs, in a separate process (worker/open_plugins.h), before any run starts. It
/// finds errors that a descriptor can't show, such as a script that does not compile or a prompt with an unknown slot,
/// in a second instead of hours into a study.
class PluginTrial {
 public:
  /// Constructs the plugins of each spec as its run will and returns the names of the metrics that the run will report;
  /// empty if they are not known beforehand. Existing inputs of the specs must be pinned. Throws the Error of a plugin
  /// that can't be constructed; Error (exit 5) that names a plugin which crashed or took more than 300 seconds; Error
  /// (exit 4) for a split without records or a checkpoint that was modified after it was written. Plugins that were
  /// constructed successfully are not constructed again for other specs with the same plugin settings and inputs.
  std::vector<std::vector<std::string>> columns(const std::vector<spec::Spec>& specs);

 private:
  std::map<std::string, std::vector<std::string>> known_;  // result by plugin settings and inputs (what_matters)
  std::set<std::string> whole_;                            // `inputs` tables whose checkpoints were found unmodified
};

/// Estimates for dry runs: the number of records that runs read and the memory of their ranks (worker/preview.h).
class Preview {
 public:
  /// Adds a run, whose folder is `folder`. A run may read files that runs added before it will write.
  void add(const spec::Spec& spec, const std::string& folder);

  /// Computes the estimates and returns a few lines per run; "" if there are no runs.
  std::string text() const;

 private:
  std::vector<std::string> names_;
  nlohmann::json runs_ = nlohmann::json::array();
};

}  // namespace compeer::launch
