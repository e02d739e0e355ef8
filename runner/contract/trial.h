#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "contract/remark.h"

namespace compeer::contract {

/// What came of running a plugin in a process of its own.
struct Trial {
  std::vector<Remark> findings;
  bool made = false;   ///< there was an object of the plugin's, and it was checked
  std::string ending;  ///< how the plugin ended the process, or why it had to be ended; empty if it did not
};

/// Runs the checks of `compeer-worker` (contract/worker/check_plugin.h, which says what `options` hold). However that
/// process ends, this one only notes how. `folder`: where other plugins are looked for first; `patience`: seconds that
/// one call into the plugin may take. Throws Error if the worker can't be run.
Trial try_plugin(nlohmann::json options, const std::filesystem::path& folder, double patience);

}  // namespace compeer::contract
