#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "contract/finding.h"
#include "plugin/search.h"

namespace compeer::contract {

/// The settings of a plugin, resolved from its descriptor without running any of its code.
struct SettingsCheck {
  std::vector<CheckFinding> findings;
  nlohmann::json settings;           ///< every setting's value; null if they are invalid or one is missing
  std::vector<std::string> missing;  ///< names of required settings without a value
  std::vector<std::string> unset;    ///< names of optional settings without a value and without a default
  std::vector<std::pair<std::string, nlohmann::json>> edges;  ///< name and value at each end of a setting's range
};

/// `sets`: "key=value" of the plugin's own table. Throws Error (exit 3) for mistakes in them.
SettingsCheck check_settings(const plugin::Descriptor& descriptor, const std::vector<std::string>& sets,
                             const plugin::Finder& finder);

}  // namespace compeer::contract
