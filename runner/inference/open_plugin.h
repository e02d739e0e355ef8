#pragma once
#include <memory>
#include <nlohmann/json.hpp>

#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::inference {

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
