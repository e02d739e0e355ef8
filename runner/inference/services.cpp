// Services that the host offers to plugins.
#include "inference/services.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "comm/phase.h"
#include "inference/device.h"
#include "inference/language_model.h"
#include "plugin/search.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::inference {

using nlohmann::json;

namespace {

constexpr const char* opening = "open plugins";  // name of the phase in train/run_plugins

}  // namespace

plugin::PluginFile chosen(const json& plugins, const std::string& kind, const std::string& name) {
  for (const json& entry : plugins) {
    if (entry.at("kind") == kind && entry.at("name") == name) {
      return {kind, name, entry.at("path").get<std::string>(), entry.value("sha256", "")};
    }
  }
  const auto found = plugin::Finder().get(kind, name);
  return {kind, name, found.path, found.sha256};
}

plugin::Services services_of(const json& spec_file, const comm::StopFlag& stop, int rank) {
  plugin::Services services;
  services.seed = spec_file.at("spec").at("seed").get<uint64_t>();
  services.compute = spec::compute_settings(spec_file.at("spec")).compute;
  services.device = device_in_use();
  services.log = [rank](const std::string& plugin, const std::string& line) {
    const bool all_alike = line.starts_with("note: ") || comm::activity().phase == opening;
    if (rank > 0 && all_alike) return;
    fmt::print(stderr, "{}: {}\n", plugin, spec::printable_lines(line));
  };
  services.cancelled = [&stop] { return stop.raised(); };
  services.find = [&plugins = spec_file.at("plugins")](const std::string& kind, const std::string& name) {
    return chosen(plugins, kind, name);
  };
  // A shared_ptr, because std::function requires a copyable callable.
  services.language_model =
      [language_models = std::make_shared<LanguageModels>(services)](const std::string& folder) -> LanguageModel& {
    return language_models->in_folder(folder);
  };
  return services;
}

plugin::Services command_services() {
  plugin::Services services;
  services.log = [](const std::string& name, const std::string& line) {
    fmt::print(stderr, "{}: {}\n", name, spec::printable_lines(line));
  };
  services.cancelled = [] { return false; };
  services.find = [](const std::string& kind, const std::string& name) {
    const auto found = plugin::Finder().get(kind, name);
    return plugin::PluginFile{found.kind, found.name, found.path, found.sha256};
  };
  return services;
}

}  // namespace compeer::inference
