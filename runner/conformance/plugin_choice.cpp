// Checks the settings of a descriptor: no parameter has a reserved name, and the defaults are valid. Also collects the
// ends of ranges, with which the worker makes objects.
#include "conformance/plugin_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "plugin/allow_list.h"
#include "spec/check.h"
#include "spec/core_schema.h"
#include "spec/draft.h"
#include "spec/paths.h"
#include "spec/spec.h"

namespace compeer::conformance {

using nlohmann::json;

using spec::SettingSchema;

namespace {

json setting(const spec::SettingSchema& parameter, const json& given, const std::string& source,
             const Fallback& fallback) {
  if (given.contains(parameter.name)) {
    json value = given.at(parameter.name);
    if (!value.is_null()) spec::normalise(parameter, value);
    const auto found =
        parameter.type == spec::Type::path && value.is_string() ? spec::locate(value.get<std::string>()) : std::nullopt;
    return found ? json(found->string()) : value;
  }
  if (const auto other = fallback ? fallback(parameter) : std::nullopt) return *other;
  if (!parameter.default_value)
    throw Error(source, fmt::format("its setting '{}' is missing: {}", parameter.name, parameter.help),
                fmt::format("set it with --set {}=...", parameter.name), Exit::usage);
  return plugin::defaults({parameter}).at(parameter.name);
}

/// Finds all plugins, and the plugin under test even if it is broken.
class FinderWith : public plugin::Finder {
 public:
  FinderWith(const plugin::Descriptor& tested, const plugin::Finder& others)
      : Finder(others), tested_{tested.kind, tested.name, tested.version, "", "", tested.parameters} {}

  std::vector<std::string> names(const std::string& kind) const override {
    auto names = Finder::names(kind);
    if (kind == tested_.kind) names.push_back(tested_.name);
    return names;
  }
  spec::PluginInfo find(const std::string& kind, const std::string& name) const override {
    return kind == tested_.kind && name == tested_.name ? tested_ : Finder::find(kind, name);
  }

 private:
  spec::PluginInfo tested_;
};

// Returns the parameters named like a key that the spec's section of this kind has itself, such as `weight`.
std::vector<std::string> taken_names(const plugin::Descriptor& descriptor) {
  spec::Schema taken(1);
  taken.front().name = "plugin";
  for (const auto& section : spec::core_schema()) {
    const auto& keys = section.parameter.fields;
    if (section.plugin_kind == descriptor.kind) taken.insert(taken.end(), keys.begin(), keys.end());
  }
  std::vector<std::string> names;
  for (const SettingSchema& parameter : descriptor.parameters) {
    if (spec::find(taken, parameter.name)) names.push_back(parameter.name);
  }
  return names;
}

// Returns the last valid value before a limit. `inwards`: 1 for a minimum, -1 for a maximum. `open`: the limit itself
// is not valid.
double last_valid(double limit, int inwards, bool open, bool integer) {
  if (!integer) return open ? std::nextafter(limit, inwards * std::numeric_limits<double>::infinity()) : limit;
  const double whole = inwards > 0 ? std::ceil(limit) : std::floor(limit);
  return open && whole == limit ? whole + inwards : whole;
}

void add_edges(const SettingSchema& parameter, SettingsCheck& check) {
  const bool integer = parameter.type == spec::Type::integer;
  if (!integer && parameter.type != spec::Type::number) return;
  const auto add = [&](double limit, int inwards, bool open) {
    json value = last_valid(limit, inwards, open, integer);
    if (!spec::normalise(parameter, value)) check.edges.emplace_back(parameter.name, value);
  };
  if (parameter.min) add(*parameter.min, 1, parameter.above_min);
  if (parameter.max) add(*parameter.max, -1, parameter.below_max);
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

json plugin_json(const plugin::Found& found, const json& given, const std::string& source, const Fallback& fallback) {
  plugin::AllowLists().refuse(found.kind, found.name, found.path, found.sha256);
  json settings = {{"plugin", found.name}};
  for (const auto& parameter : found.descriptor.parameters)
    settings[parameter.name] = setting(parameter, given, source, fallback);
  return {{"plugin", found.name},
          {"path", found.path.string()},
          {"sha256", found.sha256},
          {"settings", std::move(settings)}};
}

SettingsCheck check_settings(const plugin::Descriptor& descriptor, const std::vector<std::string>& sets,
                             const plugin::Finder& finder) {
  const FinderWith catalog(descriptor, finder);
  const auto resolved = [&](const std::vector<spec::Change>& changes) {
    spec::Draft draft;
    draft.values["plugin"] = descriptor.name;
    return spec::resolve_plugin(spec::with(draft, changes), descriptor.kind, catalog);
  };
  SettingsCheck check;
  const auto add = [&](CheckVerdict verdict, const std::string& what) {
    check.findings.push_back({"settings", verdict, what});
  };
  for (const auto& name : taken_names(descriptor))
    add(CheckVerdict::fails,
        fmt::format("its parameter '{}' is a key that every plugin of {} has, so no run can set it; "
                    "rename it",
                    name, descriptor.kind));
  if (!check.findings.empty()) return check;
  for (const SettingSchema& parameter : descriptor.parameters) add_edges(parameter, check);
  try {
    resolved({});
    add(CheckVerdict::holds, fmt::format("the defaults are valid, {} of them", descriptor.parameters.size()));
  } catch (const Error& error) {
    add(CheckVerdict::fails, "its defaults are invalid: " + error.problem());
    return check;
  }
  std::vector<spec::Change> changes;
  for (const auto& set : sets) changes.push_back(spec::parse_set(set));
  auto spec = resolved(changes);
  spec::pin_inputs(spec);
  spec.values.erase("inputs");
  for (const SettingSchema& parameter : descriptor.parameters) {
    if (spec.values.at(parameter.name).is_null())
      (parameter.default_value ? check.unset : check.missing).push_back(parameter.name);
  }
  if (check.missing.empty()) check.settings = spec.values;
  return check;
}

}  // namespace compeer::conformance
