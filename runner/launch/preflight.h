#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// The plugins of runs, made before anything is spent, as the runs will make them, in a process of their own
/// (worker/open_plugins.h): what a descriptor can't tell, such as a script that doesn't compile or a prompt with a
/// slot that nobody fills, is found in a second instead of hours into a study.
class Opening {
 public:
  /// For each spec, whose inputs are pinned as far as they are there, the names of figures that its run will have, as
  /// far as they are known beforehand; empty if they aren't. Throws the Error of the run's plugin, one (exit 5) that
  /// names the plugin which crashed or did not come back, or one (exit 4) for a split without records or a checkpoint
  /// that isn't as it was written. What went well is not tried again.
  std::vector<std::vector<std::string>> columns(const std::vector<spec::Spec>& specs);

 private:
  std::map<std::string, std::vector<std::string>> known_;  // by what matters of a spec
  std::set<std::string> whole_;                            // inputs whose models are as they were written
};

/// For dry runs: what runs read, and the memory of their ranks (worker/preview.h).
class Preview {
 public:
  /// `folder`: the run's. A run may read what those added before it make.
  void add(const spec::Spec& spec, const std::string& folder);

  /// A few lines for each run; "" if there are none.
  std::string text() const;

 private:
  std::vector<std::string> names_;
  nlohmann::json runs_ = nlohmann::json::array();
};

}  // namespace compeer::launch
