#include "app/model/open_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "plugin/search.h"
#include "record/strict_json.h"

namespace compeer::app {

namespace {

using nlohmann::json;

std::string plugin_of(const std::filesystem::path& folder) {
  const auto file = folder / "config.json";
  const json config = record::parse_strict_json(file, read_file(file));
  if (!config.contains("model_type") || !config.at("model_type").is_string())
    throw Error(file.string(), "names no model_type", "a model folder has the layout that transformers writes",
                Exit::data);
  const auto name = config.at("model_type").get<std::string>();
  const auto known = plugin::Finder().names("models");
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error(file.string(), "no plugin reads models of type '" + name + "'", suggest(name, known), Exit::data);
  return name;
}

}  // namespace

OpenModel::OpenModel(const ModelOptions& options) {
  services.log = [](const std::string& name, const std::string& line) { fmt::print(stderr, "{}: {}\n", name, line); };
  services.cancelled = [] { return false; };
  const auto name = plugin_of(options.folder);
  const auto found = plugin::Finder().get("models", name);
  const plugin::Chosen chosen{"models", name, found.path, found.sha256};
  const Settings settings({{"plugin", name},
                           {"path", options.folder.string()},
                           {"config", nullptr},
                           {"frozen", options.frozen},
                           {"precision", options.precision},
                           {"engine", options.engine},
                           {"rotary_precision", options.rotary_precision}});
  plugin = std::make_unique<plugin::Plugin<Model>>(
      plugin::open<Model>(chosen, settings, std::make_unique<plugin::RunHost>(chosen, services)));
  plugin->call("head", [&](Model& model) { policy = std::make_unique<rollout::Policy>(model); });
  policy->forward = [this](const Batch& batch, Cache* cache) {
    return plugin->call("forward", [&](Model& model) { return model.forward(batch, cache); });
  };
}

}  // namespace compeer::app
