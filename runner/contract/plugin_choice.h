#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugin/search.h"
#include "spec/draft.h"

namespace compeer::contract {

/// A plugin that a command opens by itself, without a spec.

/// A draft with this plugin alone in the section `at` ("dataset", "stages.0") and what --set says of it, "rounds=20" or
/// "stages.0.rounds=20". `command` is the origin of its name.
spec::Draft draft_of(const std::string& at, const std::string& name, const std::vector<std::string>& sets,
                     const std::string& command);

/// What a setting is that nobody has given, in place of its default.
using Otherwise = std::function<std::optional<nlohmann::json>(const spec::SettingSchema&)>;

/// {"plugin", "path", "sha256", "settings"} as the worker opens it (inference/open_plugin.h): each setting as in
/// `given`, else as `otherwise` says, else its default. Throws Error (exit 2, where = `source`) if one is missing.
nlohmann::json plugin_json(const plugin::Found& found, const nlohmann::json& given, const std::string& source,
                           const Otherwise& otherwise = nullptr);

}  // namespace compeer::contract
