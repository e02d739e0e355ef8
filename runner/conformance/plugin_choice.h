#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/finding.h"
#include "plugin/search.h"
#include "spec/draft.h"

/// Opens plugins that a command uses without a spec.

namespace compeer::conformance {

/// Returns a draft that contains only this plugin, in the section `at` ("dataset", "stages.0"), and its --set options,
/// "rounds=20" or "stages.0.rounds=20". `command` is recorded as the origin of the plugin's name.
spec::Draft draft_of(const std::string& at, const std::string& name, const std::vector<std::string>& sets,
                     const std::string& command);

/// Returns the value of a setting that was not given, or nothing if its default applies.
using Otherwise = std::function<std::optional<nlohmann::json>(const spec::SettingSchema&)>;

/// Returns {"plugin", "path", "sha256", "settings"}, from which the worker opens the plugin (inference/services.h). The
/// value of a setting comes from `given`, otherwise from `otherwise`, otherwise it is the default. Throws Error (exit
/// 2, where = `source`) if a required one is missing, and Error (exit 5) if an allow list does not contain the plugin.
nlohmann::json plugin_json(const plugin::Found& found, const nlohmann::json& given, const std::string& source,
                           const Otherwise& otherwise = nullptr);

/// The settings of a plugin, resolved from its descriptor without running any of its code.
struct SettingsCheck {
  std::vector<CheckFinding> findings;
  nlohmann::json settings;           ///< the values of all settings; null if they are invalid or one is missing
  std::vector<std::string> missing;  ///< names of required settings without a value
  std::vector<std::string> unset;    ///< names of optional settings without a value and without a default
  /// Name and value at each end of a setting's range that must be accepted.
  std::vector<std::pair<std::string, nlohmann::json>> edges;
};

/// Checks the descriptor's settings and resolves their values. `sets`: "key=value" of the plugin's own table. Throws
/// Error (exit 3) for invalid ones.
SettingsCheck check_settings(const plugin::Descriptor& descriptor, const std::vector<std::string>& sets,
                             const plugin::Finder& finder);

}  // namespace compeer::conformance
