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

// Settings of plugins that are opened by a command (`compeer plugins check`, `rescore`, `data stats`) instead of a run.
// A run reads them from its spec, the file with all its settings. These commands have no spec: the settings come from
// the options --set KEY=VALUE and from the defaults in the plugin's descriptor. The front end resolves them here, and a
// worker process opens the plugin with the result.

namespace compeer::conformance {

/// Returns a draft, that is, settings that are not checked yet. It contains only the plugin `name` in the section
/// `at` ("dataset", "stages.0") and the --set options `sets`. Their keys may begin with the section: "rounds=20" and
/// "stages.0.rounds=20" are equal. `command`: origin of the plugin's name, for error messages.
spec::Draft draft_of(const std::string& at, const std::string& name, const std::vector<std::string>& sets,
                     const std::string& command);

/// Function that supplies the value of a setting that the user did not give. Empty result: the default applies.
using Fallback = std::function<std::optional<nlohmann::json>(const spec::SettingSchema&)>;

/// Returns {"plugin": name, "path", "sha256", "settings": {name: value}}. A worker opens the plugin `found` with it.
/// The value of a setting comes from `given` (an object with one key per setting), otherwise from `fallback`, otherwise
/// it is the default. `source`: origin of `given` for messages, such as "--dataset". Throws Error (exit code 2: wrong
/// command line) if a required setting is missing, and Error (exit code 5: plugin) if an allow list does not contain
/// the plugin.
nlohmann::json plugin_json(const plugin::Found& found, const nlohmann::json& given, const std::string& source,
                           const Fallback& fallback = nullptr);

/// The settings of the plugin under test, resolved from its descriptor without running any of its code.
struct SettingsCheck {
  std::vector<CheckFinding> findings;  ///< failures and successes of the check "settings"
  nlohmann::json settings;             ///< object with the values of all settings; null if one is invalid or missing
  std::vector<std::string> missing;    ///< names of required settings without a value
  std::vector<std::string> unset;      ///< names of optional settings without a value and without a default
  /// Name of a numeric setting, and its lowest or highest valid value. The plugin must accept each of them.
  std::vector<std::pair<std::string, nlohmann::json>> edges;
};

/// Checks the settings that the descriptor declares (no reserved names, valid defaults) and resolves their values.
/// `sets`: --set options of this plugin, "key=value". `finder`: finds the plugins that settings name. Throws Error
/// (exit code 3: invalid setting) for an invalid option.
SettingsCheck check_settings(const plugin::Descriptor& descriptor, const std::vector<std::string>& sets,
                             const plugin::Finder& finder);

}  // namespace compeer::conformance
