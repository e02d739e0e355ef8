// Resolved specs: spec.json, pins of input files, and differences.
#include "spec/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/model_folder.h"
#include "base/text.h"
#include "spec/dotted.h"
#include "spec/history.h"
#include "spec/paths.h"
#include "spec/renamed.h"
#include "spec/secrets.h"
#include "spec/text.h"

namespace compeer::spec {

namespace fs = std::filesystem;

std::optional<fs::path> recorded_spec(const std::string& file) {
  std::error_code code;
  if (fs::is_directory(file, code)) return fs::path(file) / "spec.json";
  if (fs::path(file).extension() == ".json") return file;
  return {};
}

Spec read_spec(const fs::path& file) {
  try {
    return Spec::from_file_text(read_plain_file(file, 16 << 20), file.string());
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    throw Error(error.where(), error.problem(), error.help(), Exit::spec);
  }
}

namespace {

constexpr size_t largest_file = 16 << 20;
constexpr int deepest_file = 128;
constexpr size_t largest_text = 1 << 20;

// Returns the value at a path, or nullptr.
json* find(json& values, const std::string& path) {
  json* value = &values;
  for (const auto& step : parse_path(path, path)) {
    if (value->is_array() && step.is_index && step.index < value->size()) {
      value = &(*value)[step.index];
    } else if (value->is_object() && value->contains(step.key)) {
      value = &(*value)[step.key];
    } else {
      return nullptr;
    }
  }
  return value;
}

// The same for a path that is known to exist.
json& at(json& values, const std::string& path) {
  json* const found = find(values, path);
  if (!found) throw std::logic_error("no value at " + path);
  return *found;
}

json parse(const std::string& text, const std::string& name) {
  if (text.size() > largest_file)
    throw Error(name, fmt::format("is {} bytes long; at most {} are read", text.size(), largest_file));
  if (nests_too_deeply(text, deepest_file)) throw Error(name, fmt::format("is nested more than {} deep", deepest_file));
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw Error(name, fmt::format("is not JSON: {}", printable(error.what(), 200)));
  }
}

std::string plain_text(const std::filesystem::path& file) {
  const auto text = read_file(file, largest_text);
  refuse_utf16(text, file.string());
  if (!valid_utf8(text) || text.find('\0') != std::string::npos) {
    throw Error(file.string(), "is not valid UTF-8", "", Exit::data);
  }
  return text;
}

// Collects every value by its path; a list of plain values is one value.
void flatten(const json& value, const std::string& path, std::map<std::string, json>& out) {
  const bool tables = value.is_array() && !value.empty() && value[0].is_object();
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, inner] : value.items()) flatten(inner, join(path, key), out);
  } else if (tables) {
    for (size_t i = 0; i < value.size(); ++i) flatten(value[i], join(path, i), out);
  } else {
    out[path] = value;
  }
}

// Renames settings of a spec that the version before wrote, and adds an entry to the history.
void rename_stored(Spec& spec) {
  const auto before = spec.sha256();
  const auto renamed = rename_settings(spec.values);
  if (renamed.empty()) return;
  rename_paths(spec.origins, renamed);
  json entry = {{"step", 0}, {"what", "names of settings"}, {"spec_before", before}, {"spec_after", spec.sha256()}};
  for (const auto& [old, now] : renamed) entry["before"].push_back(old), entry["after"].push_back(now);
  spec.history.push_back(std::move(entry));
}

std::string origin_in(const Spec& spec, const std::string& path) {
  const auto found = spec.origins.find(path);
  return found == spec.origins.end() ? "" : found->second;
}

void refuse_other_language(const fs::path& file) {
  constexpr auto experiment =
      "start from one: compeer resolve experiments/smoke_grpo.toml >mine.toml; compeer run mine.toml";
  constexpr auto script = "start from one: cp scripts/quickstart.lua mine.lua; compeer run mine.lua (docs/lua.md)";
  constexpr auto data = "set dataset.plugin and dataset.path of an experiment to use data (docs/corpora.md)";
  static const std::map<std::string, std::pair<const char*, const char*>> others = {
      {".yaml", {"is YAML; experiments are TOML files", experiment}},
      {".yml", {"is YAML; experiments are TOML files", experiment}},
      {".py", {"is Python; scripts are written in Lua", script}},
      {".ipynb", {"is Python; scripts are written in Lua", script}},
      {".csv", {"is a table; experiments are TOML files", data}},
      {".jsonl", {"contains records; experiments are TOML files", data}},
  };
  if (const auto found = others.find(file.extension().string()); found != others.end())
    throw Error(file.string(), found->second.first, found->second.second, Exit::usage);
  static const std::set<std::string> known = {"", ".toml", ".lua", ".json"};
  std::error_code code;
  if (!known.contains(file.extension().string()) && fs::is_regular_file(file, code))
    throw Error(file.string(), "must be a .toml or .lua file", experiment, Exit::usage);
}

}  // namespace

std::string Spec::canonical() const { return canonical_json(values); }

std::string Spec::sha256() const { return compeer::sha256(canonical()); }

std::string Spec::file_text() const {
  nlohmann::ordered_json file;
  file["format"] = 1;
  file["sha256"] = sha256();
  file["spec"] = values;
  file["origins"] = origins;
  file["plugins"] = json::array();
  for (const auto& plugin : plugins) {
    file["plugins"].push_back({{"kind", plugin.kind},
                               {"name", plugin.name},
                               {"version", plugin.version},
                               {"path", plugin.path},
                               {"sha256", plugin.sha256}});
  }
  file["sources"] = json::object();
  for (const auto& [name, text] : sources) file["sources"][name] = without_secrets(text);
  if (!history.empty()) file["history"] = history;
  return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Spec Spec::from_file_text(const std::string& text, const std::string& name) {
  const json file = parse(text, name);
  if (!file.is_object() || !file.contains("format"))
    throw Error(name, "is not the spec.json of a run", "experiments are TOML files or Lua scripts");
  Spec spec;
  try {
    if (const auto format = file.at("format"); format != 1) {
      throw Error(name, fmt::format("has format {}, this program reads format 1", show(format)));
    }
    spec.values = file.at("spec");
    if (!spec.values.is_object()) throw Error(name, "contains no table \"spec\"");
    spec.origins = file.value("origins", spec.origins);
    spec.sources = file.value("sources", spec.sources);
    for (const auto& plugin : file.value("plugins", json::array())) {
      spec.plugins.push_back(
          {plugin.at("kind"), plugin.at("name"), plugin.at("version"), plugin.at("path"), plugin.at("sha256"), {}});
    }
    // Throws unless it maps strings to strings.
    (void)spec.values.value("inputs", std::map<std::string, std::string>());
    spec.history = file.value("history", json::array());
    for (const json& change : spec.history) (void)change_text(change);  // throws if it is no change
    if (file.at("sha256") != spec.sha256()) {
      throw Error(
          name,
          fmt::format("its spec has the hash {}, but the file records {}", spec.sha256(), show(file.at("sha256"))),
          "it was changed after it was written; change the TOML file or script it came from instead");
    }
    rename_stored(spec);
  } catch (const json::exception& error) {
    throw Error(name, fmt::format("is not a resolved spec: {}", printable(error.what(), 200)));
  }
  return spec;
}

Draft Spec::draft() const {
  Draft made{values, origins, sources};
  made.values.erase("inputs");
  for (const auto& [path, origin] : origins) {  // texts of files are read again by pin_inputs()
    if (origin != from_contents || within(path, "inputs")) continue;
    json* const value = find(made.values, path);
    if (!value)
      throw Error("spec.json", fmt::format("has an origin for '{}', which is not a key of the spec", printable(path)));
    *value = nullptr;
    made.origins.erase(path);
  }
  // A default label would remain if a change to the draft gave the reward another plugin.
  json* const rewards = find(made.values, "rewards");
  for (size_t i = 0; rewards && rewards->is_array() && i < rewards->size(); ++i) {
    if (origin_in(*this, join(join("rewards", i), "label")) == "default" && (*rewards)[i].is_object())
      (*rewards)[i].erase("label");
  }
  return made;
}

std::map<std::string, std::string> Spec::files() const {
  std::map<std::string, std::string> found;
  json copy = values;
  for (const auto& path : paths) {
    if (values.contains("inputs") && values["inputs"].contains(path)) found[path] = at(copy, path).get<std::string>();
  }
  return found;
}

void pin_inputs(Spec& spec, const MayBeMissing& may_miss) {
  Mistakes mistakes;
  spec.values.erase("inputs");
  for (const auto& path : spec.paths) {
    json& value = at(spec.values, path);
    const auto given = value.get<std::string>();
    const auto found = locate(given);
    if (!found && !(may_miss && may_miss(given))) {
      const auto download = path == "dataset.path" ? "" : download_help(given);
      mistakes.add(Error(origin_in(spec, spec.origins.count(path) ? path : parent(path)),
                         fmt::format("'{}': there is no file or folder {}", path, show(given)),
                         "checked the current folder, then the folder of compeer's own files" +
                             (download.empty() ? "" : "; " + download)));
    }
    if (!found) continue;
    value = found->string();
    spec.values["inputs"][path] = pin(*found);
    spec.origins[join("inputs", path)] = from_contents;
    for (const auto& [here, file] : spec.texts) {
      if (file != path) continue;
      auto text = plain_text(*found);
      if (text.ends_with('\n')) text.pop_back();  // the newline that editors append
      at(spec.values, here) = std::move(text);
      spec.origins[here] = from_contents;
    }
  }
  mistakes.raise();
}

Spec with_current_inputs(Spec spec, uint64_t done) {
  std::set<std::string> tables;  // tables with a value that is the text of a file
  for (const auto& [path, origin] : spec.origins)
    if (origin == from_contents && !within(path, "inputs")) tables.insert(parent(path));
  const json pins = spec.values.value("inputs", json::object());
  for (const auto& [path, before] : pins.items()) {
    const json* const value = find(spec.values, path);
    if (!value || !value->is_string())
      throw Error("spec.json", fmt::format("has an input '{}', which is not a key of the spec", printable(path)), "",
                  Exit::data);
    const auto given = value->get<std::string>();
    const auto found = locate(given);
    if (tables.contains(parent(path)) && !(found && std::filesystem::is_directory(*found)))
      continue;  // the run keeps that text
    if (!found)
      throw Error(origin_in(spec, path), fmt::format("'{}': the file or folder {} no longer exists", path, show(given)),
                  "restore it, or resume from the folder in which the run was started", Exit::data);
    const auto after = pin(*found);
    if (after == before) continue;
    json entry = {{"step", done},
                  {"what", "contents of " + path},
                  {"before", before},
                  {"after", after},
                  {"spec_before", spec.sha256()}};
    spec.values["inputs"][path] = after;
    entry["spec_after"] = spec.sha256();
    spec.history.push_back(std::move(entry));
  }
  return spec;
}

std::vector<Difference> diff(const Spec& before, const Spec& after) {
  std::map<std::string, json> old_values, new_values;
  flatten(before.values, "", old_values);
  flatten(after.values, "", new_values);
  const json none(json::value_t::discarded);
  std::vector<Difference> changes;
  for (const auto& [path, value] : old_values) {
    const auto now = new_values.find(path);
    if (now != new_values.end() && now->second == value) continue;
    changes.push_back(
        {path, value, now == new_values.end() ? none : now->second, origin_in(before, path), origin_in(after, path)});
  }
  for (const auto& [path, value] : new_values) {
    if (!old_values.count(path)) changes.push_back({path, none, value, "", origin_in(after, path)});
  }
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return changes;
}

Draft load_draft(const std::string& file, const std::vector<std::string>& sets) {
  refuse_other_language(file);
  std::vector<Change> changes;
  for (const auto& set : sets) changes.push_back(parse_set(set));
  const auto known = recorded_spec(file);
  return with(known ? read_spec(*known).draft() : load_toml(file), changes);
}

}  // namespace compeer::spec
