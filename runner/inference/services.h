#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "plugin/host.h"
#include "plugin/open.h"

// Builds plugin::Services, the functions of the host that plugins may call (log, cancellation, other plugins, language
// models), and opens plugins with them.

namespace compeer::inference {

/// Returns the plugin file (path and SHA-256) recorded in a spec for the plugin `name` of kind `kind` ("rewards",
/// "models"). If the spec has none, because another plugin chose the name at run time, searches the installed plugins.
/// `plugins`: the list "plugins" of spec.json.
plugin::PluginFile chosen(const nlohmann::json& plugins, const std::string& kind, const std::string& name);

/// Returns the services for the plugins of a run: seed, device, log, cancellation, other plugins and language models.
/// `spec_file`: contents of spec.json. `stop`: flag that cancels the plugins' work. Both must outlive the result.
/// `rank`: number of this process; messages that are the same on all ranks are logged by rank 0 only: those logged
/// while plugins are opened, and lines that begin with "note: ".
plugin::Services services_of(const nlohmann::json& spec_file, const comm::StopFlag& stop, int rank = 0);

/// Returns the services for the plugins of a command without a spec: they log to standard error, are never cancelled
/// and have neither policy nor language models.
plugin::Services command_services();

/// Opens a plugin that the front end chose for a command. `choice`: {"plugin": name, "path", "sha256", "settings"} with
/// all settings. `services` must outlive the plugin.
template <class T>
plugin::Plugin<T> open_plugin(const nlohmann::json& choice, const plugin::Services& services) {
  const plugin::PluginFile chosen{T::kind, choice.at("plugin"), choice.at("path").get<std::string>(),
                                  choice.at("sha256")};
  return plugin::open<T>(chosen, Settings(choice.at("settings")), std::make_unique<plugin::RunHost>(chosen, services));
}

/// Opens a plugin by name. Settings that are missing from `given` get their defaults. `services` must outlive the
/// plugin.
template <class T>
plugin::Plugin<T> open_plugin(const std::string& name, const nlohmann::json& given, const plugin::Services& services) {
  const plugin::PluginFile chosen = services.find(T::kind, name);
  return plugin::open<T>(chosen, plugin::whole_settings(chosen, given),
                         std::make_unique<plugin::RunHost>(chosen, services));
}

}  // namespace compeer::inference
