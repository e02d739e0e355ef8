#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::data {

/// A stage of a spec, or its dataset: which plugin, with what settings.
struct PluginChoice {
  std::string kind;      ///< "datasets" or "stages"
  std::string path;      ///< where its table stands in the spec: "stages.2"
  nlohmann::json table;  ///< its settings, without the label
};

/// The name of what a stage makes: SHA-256 of all it depends on. `input`: the hash of the records that go in;
/// `ingredients`: what the plugin says it uses besides. `spec_file`: spec.json, for the seed, the hashes of the plugins
/// (those too that settings name) and the pins of the files they name.
std::string key_of(const nlohmann::json& spec_file, const PluginChoice& choice, const std::string& input,
                   const std::string& ingredients);

}  // namespace compeer::data
