// Resolves a draft: checks every setting, fills in defaults and looks up plugins and named runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "spec/check.h"
#include "spec/conflicts.h"
#include "spec/core_schema.h"
#include "spec/dotted.h"
#include "spec/paths.h"
#include "spec/renamed.h"
#include "spec/runs.h"
#include "spec/secrets.h"
#include "spec/spec.h"

namespace compeer::spec {

namespace {

// Maximum depth of plugins that are settings of other plugins.
constexpr int most_nested = 4;

// Returns the schema of the table {plugin = name, ...} for a setting of type plugin.
SettingSchema as_table(const SettingSchema& plugin) {
  SettingSchema name;
  name.name = "plugin";
  name.help = singular(plugin.kind) + " plugin";
  if (plugin.default_value && plugin.default_value->is_string()) name.default_value = plugin.default_value;
  SettingSchema made = plugin;
  made.type = Type::table;
  made.fields = {name};
  return made;
}

// True if a name can be a folder (names of runs) and a column (labels) in any tool.
bool plain_name(const std::string& name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), plain);
}

class Resolver {
 public:
  /// `complete`: required keys must be present. `places`: where to find named runs; nullptr: they are not searched for.
  Resolver(const Draft& draft, const Catalog& catalog, bool complete, const RunPlaces* places)
      : draft_(draft), catalog_(catalog), complete_(complete), places_(places) {}

  Spec run() {
    spec_.values = json::object();
    spec_.sources = draft_.sources;
    refuse_unknown(sections(), draft_.values, "");
    const auto task = draft_.values.value("task", json());
    for (const auto& section : core_schema()) {
      const bool given = draft_.values.contains(section.parameter.name);
      const bool used = section.tasks.empty() || (task.is_string() && section.used_by(task.get<std::string>()));
      if (used) {
        spec_.values[section.parameter.name] = entry(section.parameter, draft_.values, "", true, section.plugin_kind);
      } else if (given) {
        const Spec kept = spec_;
        entry(section.parameter, draft_.values, "", true, section.plugin_kind);
        spec_ = kept;
      }
    }
    check_name("name", spec_.values.at("name"));
    refuse_secrets(spec_.values, "");
    mistakes_.raise();
    for (const Conflict& conflict : conflicts(spec_.values)) mistake(conflict.path, conflict.what, conflict.help);
    mistakes_.raise();
    return spec_;
  }

  Spec run_plugin(const std::string& kind) {
    SettingSchema plugin;
    plugin.type = Type::plugin;
    plugin.kind = kind;
    spec_.values = checked(as_table(plugin), draft_.values, "", true, kind);
    mistakes_.raise();
    return spec_;
  }

 private:
  void mistake(const std::string& path, const std::string& what, const std::string& help = "") {
    mistakes_.add(Error(draft_.origin_of(path), what, help));
  }

  static Schema sections() {
    Schema all;
    for (const auto& section : core_schema()) all.push_back(section.parameter);
    return all;
  }

  void refuse_unknown(const Schema& schema, const json& table, const std::string& path) {
    for (const auto& [key, value] : table.items()) {
      if (find(schema, key)) continue;
      const auto known = names(schema);
      const auto now = present_name(path, table, key);
      const auto other = !now.empty()                  ? fmt::format("it is now called '{}': set only that", now)
                         : nearest(key, known).empty() ? elsewhere(key, draft_.values.value("task", json()))
                                                       : "";
      mistake(join(path, key), fmt::format("unknown key '{}'", printable(join(path, key))),
              other.empty() ? suggest(key, known, find_section(path) ? "compeer settings " + path : "") : other);
    }
  }

  // Returns the checked value of one key of `table`, whose path is `path`. `given` is false inside a default value.
  // `kind`: kind of the plugin that the value, a table or a list of tables, names; "" if it names none.
  json entry(const SettingSchema& parameter, const json& table, const std::string& path, bool given,
             const std::string& kind = "") {
    const auto inside = join(path, parameter.name);
    given = given && table.contains(parameter.name) && !table.at(parameter.name).is_null();
    if (!given && !parameter.default_value) return missing(parameter, inside, kind);
    return checked(parameter, given ? table.at(parameter.name) : *parameter.default_value, inside, given, kind);
  }

  json missing(const SettingSchema& parameter, const std::string& path, const std::string& kind) {
    if (!complete_) return nullptr;
    auto help = describe(parameter) + (parameter.help.empty() ? "" : ": " + parameter.help);
    if (!kind.empty() && parameter.name == "plugin")
      help = "known: " + fmt::format("{}", fmt::join(names_of(kind), ", "));
    mistake(parent(path), fmt::format("missing key '{}'", path), help);
    return nullptr;
  }

  json checked(const SettingSchema& parameter, json value, const std::string& path, bool given,
               const std::string& kind) {
    const bool may_be_unset = parameter.default_value && parameter.default_value->is_null();
    if (parameter.type == Type::path) find_named_run(parameter, value, path);
    for (size_t i = 0; parameter.items == Type::path && value.is_array() && i < value.size(); ++i)
      find_named_run(parameter, value[i], join(path, i));
    if (!(value.is_null() && may_be_unset)) {
      if (const auto wrong = normalise(parameter, value)) {
        mistake(path, fmt::format("'{}' {}", path, wrong->what), wrong->help);
        return nullptr;
      }
      if (parameter.type == Type::table) return table(parameter, value, path, given, kind);
      if (parameter.type == Type::plugin) return inner_plugin(parameter, value, path, given);
      if (parameter.type == Type::list && parameter.items == Type::table)
        return tables(parameter, value, path, given, kind);
      note_paths(parameter, value, path);
    }
    spec_.origins[path] = given ? draft_.origin_of(path) : "default";
    return value;
  }

  json inner_plugin(const SettingSchema& parameter, const json& value, const std::string& path, bool given) {
    if (nested_ == most_nested) {
      mistakes_.add(
          Error(draft_.origin_of(path),
                fmt::format("'{}': plugins in the settings of plugins are nested more than {} deep", path, most_nested),
                "", Exit::plugin));
      return nullptr;
    }
    ++nested_;
    json out = table(as_table(parameter), value, path, given, parameter.kind);
    --nested_;
    return out;
  }

  json table(const SettingSchema& parameter, json value, const std::string& path, bool given, const std::string& kind) {
    if (parameter.open) {
      for (auto one = value.begin(); one != value.end();) one = one->is_null() ? value.erase(one) : std::next(one);
      return note_origins(value, path, given), value;
    }
    if (kind == "models" && value.contains("plugin") && value.at("plugin") == "auto" && !name_family(value, path))
      return value;
    Schema schema = parameter.fields;
    if (kind.empty() || add_plugin_fields(schema, kind, value, path)) refuse_unknown(schema, value, path);
    json out = json::object();
    for (const auto& field : schema)
      out[field.name] = entry(field, value, path, given, field.name == "plugin" ? kind : "");
    for (const auto& field : schema) note_text(field, out, path);
    return out;
  }

  json tables(const SettingSchema& list, const json& value, const std::string& path, bool given,
              const std::string& kind) {
    SettingSchema item = list;
    item.type = Type::table;
    item.min = item.max = std::nullopt;  // limits of the list's length
    json out = json::array();
    for (size_t i = 0; i < value.size(); ++i) out.push_back(checked(item, value[i], join(path, i), given, kind));
    if (value.empty()) spec_.origins[path] = given ? draft_.origin_of(path) : "default";
    if (kind == "rewards") fill_labels(out, path);
    if (kind == "stages") check_labels(out, path);
    return out;
  }

  // Replaces { run = "NAME" } by the path of the run's output or folder.
  void find_named_run(const SettingSchema& parameter, json& value, const std::string& path) {
    if (!names_run(value)) return;
    const auto name = value.at("run").get<std::string>();
    value = name;
    if (!places_) return;
    try {
      const auto run = find_run(name, experiment_folders(draft_, path), *places_);
      value = input_path(run, parameter.run_folder);
      spec_.runs[path] = run;
    } catch (const Error& error) {
      const auto what = error.where().empty() ? error.problem() : error.where() + ": " + error.problem();
      mistakes_.add(Error(draft_.origin_of(path),
                          fmt::format("'{}' names the run '{}': {}", path, printable(name), what), error.help(),
                          error.exit()));
    }
  }

  // Replaces plugin = "auto" by the name of the plugin that reads the model folder at model.path, or that a named run
  // will write there. Returns false if it can't be determined; then a mistake is noted unless runs are not searched
  // for.
  bool name_family(json& model, const std::string& path) {
    json folder = model.value("path", json());
    const auto run = join(path, "path");
    if (names_run(folder) && !places_) return false;
    find_named_run({}, folder, run);
    if (spec_.runs.contains(run) && !locate(folder.get<std::string>())) {  // the run's model has the same plugin
      model["plugin"] = spec_.runs.at(run).values.value(json::json_pointer("/model/plugin"), json());
      return model.at("plugin") != "auto";
    }
    if (!folder.is_string()) {
      mistake(join(path, "plugin"),
              fmt::format("'{}' = \"auto\" requires '{}', which is unset", join(path, "plugin"), join(path, "path")),
              "name the plugin of a new model: " + fmt::format("{}", fmt::join(names_of("models"), ", ")));
      return false;
    }
    try {
      const auto found = locate(folder.get<std::string>());
      model["plugin"] = model_type(found.value_or(folder.get<std::string>()), names_of("models"));
      return true;
    } catch (const Error& error) {
      mistakes_.add(Error(draft_.origin_of(join(path, "path")),
                          fmt::format("'{}': {}: {}", join(path, "path"), error.where(), error.problem()), error.help(),
                          error.exit()));
      return false;
    }
  }

  // Adds the parameters of the plugin that the table names. False if there is no such plugin, so that the table's keys
  // can't be checked.
  bool add_plugin_fields(Schema& schema, const std::string& kind, const json& table, const std::string& path) {
    const auto* field = find(schema, "plugin");
    const json name = table.contains("plugin") ? table.at("plugin") : field->default_value.value_or(json());
    if (!name.is_string()) return false;  // missing or of a wrong type, which entry() reports
    const auto& known = names_of(kind);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      mistake(join(path, "plugin"),
              fmt::format("no {} plugin '{}'", singular(kind), printable(name.get<std::string>())),
              (known.empty() ? fmt::format("there are no {} plugins at all", singular(kind))
                             : suggest(name, known, "compeer plugins list " + kind)) +
                  catalog_.searched(kind));
      return false;
    }
    try {
      add_plugin(schema, plugin(kind, name), path);
      return true;
    } catch (const Error& error) {
      const auto what = fmt::format("the {} plugin '{}' can't be used: {}: {}", singular(kind), name.get<std::string>(),
                                    error.where(), error.problem());
      mistakes_.add(Error(draft_.origin_of(join(path, "plugin")), what, error.help(), error.exit()));
      return false;
    }
  }

  // Lists of plugins and descriptors are cached, because each lookup reads files.
  const std::vector<std::string>& names_of(const std::string& kind) {
    if (!names_.contains(kind)) names_[kind] = catalog_.names(kind);
    return names_[kind];
  }
  const PluginInfo& plugin(const std::string& kind, const std::string& name) {
    const auto known = found_.find({kind, name});
    return known != found_.end() ? known->second : found_[{kind, name}] = catalog_.find(kind, name);
  }

  void add_plugin(Schema& schema, const PluginInfo& plugin, const std::string& path) {
    for (const auto& parameter : plugin.parameters) {
      if (find(schema, parameter.name)) {
        throw Error(plugin.path,
                    fmt::format("its parameter '{}' has the name of a key of '{}' itself", parameter.name, path), "",
                    Exit::plugin);
      }
    }
    schema.insert(schema.end(), plugin.parameters.begin(), plugin.parameters.end());
    const auto same = [&](const PluginInfo& other) { return other.kind == plugin.kind && other.name == plugin.name; };
    if (std::none_of(spec_.plugins.begin(), spec_.plugins.end(), same)) spec_.plugins.push_back(plugin);
  }

  void note_paths(const SettingSchema& parameter, const json& value, const std::string& path) {
    if (parameter.type == Type::path) spec_.paths.push_back(path);
    if (parameter.type != Type::list || parameter.items != Type::path) return;
    for (size_t i = 0; i < value.size(); ++i) spec_.paths.push_back(join(path, i));
  }

  // Sets the origins of all values in an open table.
  void note_origins(const json& value, const std::string& path, bool given) {
    if (!value.is_object() || value.empty()) {
      spec_.origins[path] = given ? draft_.origin_of(path) : "default";
      return;
    }
    for (const auto& [key, inner] : value.items()) note_origins(inner, join(path, key), given);
  }

  // For a setting that is filled with the text of a file: notes the setting that names the file. Setting both is a
  // mistake.
  void note_text(const SettingSchema& field, const json& table, const std::string& path) {
    if (field.contents_of.empty() || table.at(field.contents_of).is_null()) return;
    const auto here = join(path, field.name), file = join(path, field.contents_of);
    if (!table.at(field.name).is_null()) {
      mistake(here, fmt::format("'{}' and '{}' are both set", here, file),
              fmt::format("omit one of the two: '{}' is the text of the file", field.name));
    }
    spec_.texts[here] = file;
  }

  // The default label of a reward is its plugin's name. Labels must be unique, since records refer to rewards by label.
  void fill_labels(json& rewards, const std::string& path) {
    std::map<std::string, std::string> taken;
    for (size_t i = 0; i < rewards.size(); ++i) {
      if (!rewards[i].is_object() || !rewards[i].at("plugin").is_string()) continue;
      check_range(rewards[i], join(path, i));
      json& label = rewards[i]["label"];
      const auto label_path = join(join(path, i), "label");
      if (label.is_null()) label = rewards[i].at("plugin");
      check_name(label_path, label);
      const auto [other, is_new] = taken.emplace(label.get<std::string>(), join(path, i));
      if (is_new) continue;
      mistake(label_path,
              fmt::format("'{}' has the label '{}', like '{}'", join(path, i), printable(other->first), other->second),
              "give each a different label, such as label = \"" + printable(other->first) + "_2\"");
    }
  }

  void check_labels(const json& stages, const std::string& path) {
    for (size_t i = 0; i < stages.size(); ++i) {
      if (!stages[i].is_object() || stages[i].at("label").is_null()) continue;
      check_name(join(join(path, i), "label"), stages[i].at("label"));
    }
  }

  void check_range(const json& reward, const std::string& path) {
    const json &floor = reward.at("floor"), &ceiling = reward.at("ceiling");
    if (!floor.is_number() || !ceiling.is_number() || floor < ceiling) return;
    mistake(join(path, "floor"), fmt::format("'{}' is not below the ceiling, {}", join(path, "floor"), show(ceiling)),
            "set floor below ceiling");
  }

  void refuse_secrets(const json& values, const std::string& path) {
    size_t place = 0;
    for (const auto& item : values.items()) {
      const auto here = values.is_array() ? join(path, place++) : join(path, item.key());
      if (const auto what = secret_in(values.is_array() ? "" : item.key(), item.value()); !what.empty()) {
        mistake(here,
                fmt::format("'{}' contains {}, which would be written to spec.json and reports", printable(here), what),
                "put it into an environment variable, such as the one named by 'key_env' of chat/openai");
      }
      if (item.value().is_structured()) refuse_secrets(item.value(), here);
    }
  }

  void check_name(const std::string& path, const json& name) {
    if (path == "name" && name == "answers")
      mistake(path, "'answers' is the name of the folder for answers of chat models, next to the folders of runs",
              "give the run another name");
    if (!name.is_string() || plain_name(name.get<std::string>())) return;
    mistake(path, fmt::format("'{}' must consist of letters, digits, '.', '_' and '-', not {}", path, show(name)),
            "use at most 100 characters, the first a letter, a digit or '_'");
  }

  const Draft& draft_;
  const Catalog& catalog_;
  int nested_ = 0;
  bool complete_;  // false: required keys may be missing
  const RunPlaces* places_;
  Spec spec_;
  Mistakes mistakes_;
  std::map<std::string, std::vector<std::string>> names_;
  std::map<std::pair<std::string, std::string>, PluginInfo> found_;
};

}  // namespace

Spec resolve(const Draft& draft, const Catalog& catalog, const RunPlaces& places) {
  for (const auto& [before, setting] : draft.renamed) {
    if (places.note)
      places.note(fmt::format("{}: '{}' is now called '{}'", setting.origin, printable(before), setting.now));
  }
  return Resolver(draft, catalog, true, &places).run();
}

void check(const Draft& draft, const Catalog& catalog) { Resolver(draft, catalog, false, nullptr).run(); }

Spec resolve_plugin(const Draft& draft, const std::string& kind, const Catalog& catalog) {
  const RunPlaces places;
  return Resolver(draft, catalog, false, &places).run_plugin(kind);
}

}  // namespace compeer::spec
