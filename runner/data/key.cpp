#include "data/key.h"

#include <set>

#include "base/hash.h"
#include "spec/computes.h"

namespace compeer::data {

using nlohmann::json;

namespace {

// Names of all plugins that a table of settings mentions, its own included.
void add_names(const json& value, std::set<std::string>& names) {
  if (value.is_object() && value.contains("plugin") && value.at("plugin").is_string())
    names.insert(value.at("plugin").get<std::string>());
  if (!value.is_structured()) return;
  for (const json& inner : value) add_names(inner, names);
}

json libraries(const json& spec_file, const PluginChoice& choice) {
  std::set<std::string> names;
  add_names(choice.table, names);
  json used = json::array();
  for (const json& plugin : spec_file.at("plugins")) {
    const auto name = plugin.at("name").get<std::string>(), kind = plugin.at("kind").get<std::string>();
    const bool itself = kind == choice.kind && name == choice.table.at("plugin");
    const bool inner = kind != "datasets" && kind != "stages" && names.contains(name);
    if (itself || inner) used.push_back({kind, name, plugin.value("version", ""), plugin.value("sha256", "")});
  }
  return used;
}

json pins(const json& spec, const std::string& path) {
  json own = json::object();
  const json inputs = spec.value("inputs", json::object());
  for (const auto& [place, pin] : inputs.items()) {
    if (place.starts_with(path + ".")) own[place.substr(path.size() + 1)] = pin;
  }
  return own;
}

}  // namespace

std::string key_of(const json& spec_file, const PluginChoice& choice, const std::string& input,
                   const std::string& ingredients) {
  const json& spec = spec_file.at("spec");
  json all = {{"format", 1},
              {"input", input},
              {"settings", choice.table},
              {"seed", spec.at("seed")},
              {"plugins", libraries(spec_file, choice)},
              {"pins", pins(spec, choice.path)},
              {"ingredients", ingredients}};
  const auto how = spec::computes(spec);
  if (how.compute != "float32" || how.device != "cpu") all["computes"] = {how.compute, how.device};
  return sha256(all.dump());
}

}  // namespace compeer::data
