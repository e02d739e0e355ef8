#pragma once
#include <string>
#include <vector>

#include "contract/remark.h"
#include "plugin/search.h"
#include "spec/draft.h"

namespace compeer::contract {

/// What can be said of a plugin's settings without running any of it: its descriptor against the rules that specs are
/// resolved by.
struct SettingsCheck {
  std::vector<Remark> findings;
  nlohmann::json settings;  ///< to make it with, all keys present; null if there are none, as while some are missing
  std::vector<std::string> missing;  ///< required, and not said
  std::vector<std::string> unset;    ///< not required, without a default, and not said

  /// A value at the end of a setting's range: the plugin must be made with it.
  struct Edge {
    std::string name;
    nlohmann::json value;
  };
  std::vector<Edge> edges;
};

/// `sets`: "key=value" of the plugin's own table. Throws Error (exit 3) for mistakes in them.
SettingsCheck check_settings(const plugin::Descriptor& descriptor, const std::vector<std::string>& sets,
                             const plugin::Finder& finder);

}  // namespace compeer::contract
