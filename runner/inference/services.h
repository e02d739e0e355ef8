#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::inference {

/// Returns the plugin that the spec pinned under `kind` and `name`. If it pinned none (another plugin chose the name),
/// a plugin is searched now. `plugins`: the list in spec.json.
plugin::PluginFile chosen(const nlohmann::json& plugins, const std::string& kind, const std::string& name);

/// Returns the services for a task's plugins: seed, device, log, cancellation, other plugins and language models.
/// `spec_file` and `stop` must outlive them. Messages that are the same on all ranks are logged by rank 0 only: those
/// logged while plugins are opened, and lines that begin with "note: ".
plugin::Services services_of(const nlohmann::json& spec_file, const comm::StopFlag& stop, int rank = 0);

/// Returns the services for a command's plugins: they log to standard error, are never cancelled and have no policy.
plugin::Services command_services();

/// Opens a plugin chosen by the front end (conformance/plugin_choice.h): {"plugin", "path", "sha256", "settings"}.
template <class T>
plugin::Plugin<T> open_plugin(const nlohmann::json& choice, const plugin::Services& services) {
  const plugin::PluginFile chosen{T::kind, choice.at("plugin"), choice.at("path").get<std::string>(),
                                  choice.at("sha256")};
  return plugin::open<T>(chosen, Settings(choice.at("settings")), std::make_unique<plugin::RunHost>(chosen, services));
}

/// Opens a plugin by name. Settings that are missing from `given` get their defaults.
template <class T>
plugin::Plugin<T> open_plugin(const std::string& name, const nlohmann::json& given, const plugin::Services& services) {
  const plugin::PluginFile chosen = services.find(T::kind, name);
  return plugin::open<T>(chosen, plugin::whole_settings(chosen, given),
                         std::make_unique<plugin::RunHost>(chosen, services));
}

}  // namespace compeer::inference
