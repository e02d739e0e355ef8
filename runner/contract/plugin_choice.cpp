#include "contract/plugin_choice.h"

#include <fmt/format.h>

#include "base/error.h"
#include "plugin/allow_list.h"
#include "spec/check.h"
#include "spec/paths.h"

namespace compeer::contract {

using nlohmann::json;

namespace {

json setting(const spec::SettingSchema& parameter, const json& given, const std::string& source,
             const Otherwise& otherwise) {
  if (given.contains(parameter.name)) {
    json value = given.at(parameter.name);
    if (!value.is_null()) spec::normalise(parameter, value);
    const auto found =
        parameter.type == spec::Type::path && value.is_string() ? spec::locate(value.get<std::string>()) : std::nullopt;
    return found ? json(found->string()) : value;
  }
  if (const auto other = otherwise ? otherwise(parameter) : std::nullopt) return *other;
  if (!parameter.default_value)
    throw Error(source, fmt::format("its setting '{}' is missing: {}", parameter.name, parameter.help),
                fmt::format("say it with: --set {}=...", parameter.name), Exit::usage);
  return plugin::defaults({parameter}).at(parameter.name);
}

}  // namespace

spec::Draft draft_of(const std::string& at, const std::string& name, const std::vector<std::string>& sets,
                     const std::string& command) {
  std::vector<spec::Change> changes = {{at + ".plugin", name, command}};
  for (const auto& set : sets) {
    changes.push_back(spec::parse_set(set));
    auto& path = changes.back().path;
    if (!path.starts_with(at + ".")) path.insert(0, at + ".");
  }
  return spec::with({}, changes);
}

json plugin_json(const plugin::Found& found, const json& given, const std::string& source, const Otherwise& otherwise) {
  plugin::AllowLists().refuse(found.kind, found.name, found.path, found.sha256);
  json settings = {{"plugin", found.name}};
  for (const auto& parameter : found.descriptor.parameters)
    settings[parameter.name] = setting(parameter, given, source, otherwise);
  return {{"plugin", found.name},
          {"path", found.path.string()},
          {"sha256", found.sha256},
          {"settings", std::move(settings)}};
}

}  // namespace compeer::contract
