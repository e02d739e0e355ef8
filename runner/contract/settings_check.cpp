#include "contract/settings_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "spec/check.h"
#include "spec/core_schema.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::contract {

using nlohmann::json;
using spec::SettingSchema;

namespace {

constexpr const char* kSettings = "settings";

/// One plugin, read once, wherever else it may be looked for.
class Itself : public spec::Catalog {
 public:
  Itself(const plugin::Descriptor& descriptor, const plugin::Finder& others)
      : others_(others), itself_{descriptor.kind, descriptor.name, descriptor.version, "", "", descriptor.parameters} {}

  std::vector<std::string> names(const std::string& kind) const override {
    auto names = others_.names(kind);
    if (kind == itself_.kind && std::find(names.begin(), names.end(), itself_.name) == names.end())
      names.push_back(itself_.name);
    return names;
  }

  spec::PluginInfo find(const std::string& kind, const std::string& name) const override {
    return kind == itself_.kind && name == itself_.name ? itself_ : others_.find(kind, name);
  }

  std::string searched(const std::string& kind) const override { return others_.searched(kind); }

 private:
  const plugin::Finder& others_;
  spec::PluginInfo itself_;
};

class Checking {
 public:
  Checking(const plugin::Descriptor& descriptor, const plugin::Finder& finder)
      : descriptor_(descriptor), catalog_(descriptor, finder) {}

  SettingsCheck run(const std::vector<std::string>& sets) {
    if (!keys_are_free()) return std::move(made_);
    if (defaults_come_back()) settle(sets);
    unknown_is_refused();
    for (const SettingSchema& parameter : descriptor_.parameters) ranges(parameter);
    if (edges_ > 0) holds(fmt::format("the ends of ranges are taken, {} of them, and nothing beyond", edges_));
    return std::move(made_);
  }

 private:
  spec::Spec resolved(spec::Draft draft) const { return spec::resolve_plugin(draft, descriptor_.kind, catalog_); }

  spec::Draft draft(const json& values, const std::vector<spec::Change>& changes = {}) const {
    spec::Draft draft;
    draft.values = values;
    draft.values["plugin"] = descriptor_.name;
    return spec::with(draft, changes);
  }

  // A plugin's settings share a table with those that a spec has for every plugin of its kind.
  bool keys_are_free() {
    spec::Schema taken(1);
    taken.front().name = "plugin";
    for (const auto& section : spec::core_schema()) {
      const auto& keys = section.parameter.fields;
      if (section.plugin_kind == descriptor_.kind) taken.insert(taken.end(), keys.begin(), keys.end());
    }
    size_t clashes = 0;
    for (const SettingSchema& parameter : descriptor_.parameters) {
      if (!spec::find(taken, parameter.name)) continue;
      fails(fmt::format("its parameter '{}' is a key that every plugin of {} has: no run can use it; rename it",
                        parameter.name, descriptor_.kind));
      ++clashes;
    }
    return clashes == 0;
  }

  void settle(const std::vector<std::string>& sets) {
    std::vector<spec::Change> changes;
    for (const auto& set : sets) changes.push_back(spec::parse_set(set));
    auto spec = resolved(draft(json::object(), changes));
    spec::pin_inputs(spec);
    spec.values.erase("inputs");
    for (const SettingSchema& parameter : descriptor_.parameters) {
      if (!spec.values.at(parameter.name).is_null()) continue;
      (parameter.default_value ? made_.unset : made_.missing).push_back(parameter.name);
    }
    if (made_.missing.empty()) made_.settings = spec.values;
  }

  // Said in full, the defaults are what they were. False if they can't be had at all.
  bool defaults_come_back() {
    try {
      const json defaults = without_missing(resolved(draft(json::object())).values);
      const json again = without_missing(resolved(draft(defaults)).values);
      for (const auto& [key, value] : defaults.items()) {
        if (again.at(key) != value)
          return fails(fmt::format("the default of '{}' is {}, which is taken as {}", key, spec::show(value),
                                   spec::show(again.at(key)))),
                 true;
      }
      holds(fmt::format("defaults said in full are the same, {} of them", descriptor_.parameters.size()));
      return true;
    } catch (const Error& error) {
      fails(fmt::format("its defaults are refused: {}", error.problem()));
      return false;
    }
  }

  json without_missing(json values) const {
    for (const SettingSchema& parameter : descriptor_.parameters) {
      if (!parameter.default_value) values.erase(parameter.name);
    }
    return values;
  }

  // A slip of the finger is seen, and it is said what was meant.
  void unknown_is_refused() {
    std::string meant;
    for (const SettingSchema& one : descriptor_.parameters) meant = std::max(meant, one.name, by_length);
    try {
      resolved(draft({{meant + "x", 1}}));
      fails(fmt::format("the unknown key '{}x' is taken", meant));
    } catch (const Error& error) {
      const bool near = error.help().find("did you mean '" + meant + "'?") != std::string::npos;
      if (near || meant.size() < 4)
        return holds(fmt::format("an unknown key is refused{}", near ? ", the nearest named" : ""));
      fails(fmt::format("of the unknown key '{}x' it is not said that '{}' was meant", meant, meant));
    }
  }

  static bool by_length(const std::string& a, const std::string& b) { return a.size() < b.size(); }

  void ranges(const SettingSchema& parameter) {
    const bool integer = parameter.type == spec::Type::integer;
    if (!integer && parameter.type != spec::Type::number) return;
    if (parameter.min)
      end(parameter, inside(*parameter.min, 1, parameter.above_min, integer),
          outside(*parameter.min, -1, parameter.above_min, integer));
    if (parameter.max)
      end(parameter, inside(*parameter.max, -1, parameter.below_max, integer),
          outside(*parameter.max, 1, parameter.below_max, integer));
  }

  // The last value that is allowed; `inwards`: 1 or -1. `open`: the limit itself is not.
  static double inside(double limit, int inwards, bool open, bool integer) {
    if (integer) {
      const double whole = inwards > 0 ? std::ceil(limit) : std::floor(limit);
      return open && whole == limit ? whole + inwards : whole;
    }
    return open ? std::nextafter(limit, inwards * std::numeric_limits<double>::infinity()) : limit;
  }
  static double outside(double limit, int outwards, bool open, bool integer) {
    if (integer) return inside(limit, -outwards, open, integer) + outwards;
    return open ? limit : std::nextafter(limit, outwards * std::numeric_limits<double>::infinity());
  }

  void end(const SettingSchema& parameter, double last, double first_beyond) {
    json taken = last, refused = first_beyond;
    if (const auto wrong = spec::normalise(parameter, taken))
      return fails(fmt::format("{} = {} is refused, though it is {}", parameter.name, last, spec::describe(parameter)));
    if (!spec::normalise(parameter, refused))
      return fails(fmt::format("{} = {} is taken, though it is not {}", parameter.name, first_beyond,
                               spec::describe(parameter)));
    ++edges_;
    made_.edges.push_back({parameter.name, taken});
  }

  void holds(const std::string& what) { made_.findings.push_back({kSettings, CheckVerdict::holds, what}); }
  void fails(const std::string& what) { made_.findings.push_back({kSettings, CheckVerdict::fails, what}); }

  const plugin::Descriptor& descriptor_;
  const Itself catalog_;
  SettingsCheck made_;
  size_t edges_ = 0;
};

}  // namespace

SettingsCheck check_settings(const plugin::Descriptor& descriptor, const std::vector<std::string>& sets,
                             const plugin::Finder& finder) {
  return Checking(descriptor, finder).run(sets);
}

}  // namespace compeer::contract
