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

}  // namespace compeer::inference
