#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::inference {

/// The plugin that the spec pinned under that name; one that another plugin asks for by a name of its own choice is
/// looked for now. `plugins`: the list in spec.json.
plugin::Chosen chosen(const nlohmann::json& plugins, const std::string& kind, const std::string& name);

/// What the plugins of any task share: seed, log, stop, other plugins. `spec_file` and `stop` must outlive it. What all
/// ranks would say alike is logged by rank 0 alone: what is said while plugins are opened, and lines that begin with
/// "note: ", which are about the run.
plugin::Services services_of(const nlohmann::json& spec_file, const comm::StopFlag& stop, int rank = 0);

/// What plugins share that a command opens: their log is standard error, and there is no policy.
plugin::Services command_services();

/// Opens what the front end has chosen (contract/plugin_choice.h): {"plugin", "path", "sha256", "settings"}.
template <class T>
plugin::Plugin<T> open_plugin(const nlohmann::json& choice, const plugin::Services& services) {
  const plugin::Chosen chosen{T::kind, choice.at("plugin"), choice.at("path").get<std::string>(), choice.at("sha256")};
  return plugin::open<T>(chosen, Settings(choice.at("settings")), std::make_unique<plugin::RunHost>(chosen, services));
}

/// By its name. Settings that `given` leaves out have their defaults.
template <class T>
plugin::Plugin<T> open_plugin(const std::string& name, const nlohmann::json& given, const plugin::Services& services) {
  const plugin::Chosen chosen = services.find(T::kind, name);
  return plugin::open<T>(chosen, plugin::whole_settings(chosen, given),
                         std::make_unique<plugin::RunHost>(chosen, services));
}

}  // namespace compeer::inference
