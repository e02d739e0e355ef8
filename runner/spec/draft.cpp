// Drafts: values with origins, and changes of them.
#include "spec/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "spec/core_schema.h"
#include "spec/dotted.h"
#include "spec/renamed.h"
#include "spec/text.h"

namespace compeer::spec {

namespace {

void forget(std::map<std::string, std::string>& origins, const std::string& path) {
  std::erase_if(origins, [&](const auto& entry) { return within(entry.first, path); });
}

void remember(Draft& draft, const json& value, const std::string& path, const std::string& origin) {
  draft.origins[path] = origin;
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) remember(draft, inner, join(path, key), origin);
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (value[i].is_structured()) remember(draft, value[i], join(path, i), origin);
    }
  }
}

// True if a path lies below a section that names a plugin, so that it may be one of the plugin's own settings.
bool inside_plugin(const std::vector<PathPart>& path) {
  const Section* section = path.empty() ? nullptr : find_section(path[0].key);
  if (!section || section->plugin_kind.empty()) return false;
  return path.size() > (section->parameter.type == Type::list ? 2u : 1u);
}

// Replaces the name of a plugin among another one's settings by the table {plugin = name}.
void spell_out_plugin(json& at, const std::string& path, const std::string& origin) {
  if (at.is_string() && inside_plugin(parse_path(path, origin))) at = {{"plugin", at}};
}

// Returns the value at part `step` of `at`, making missing tables and list items. `path` is the path of `at` on entry,
// that of the returned value on return.
json& enter(json& at, const PathPart& step, std::string& path, const std::string& origin) {
  if (at.is_null()) at = step.is_index ? json::array() : json::object();
  if (!path.empty()) spell_out_plugin(at, path, origin);
  if (at.is_object()) {
    path = join(path, step.key);
    return at[step.key];
  }
  if (!at.is_array()) {
    throw Error(origin,
                fmt::format("'{}' is {}, not a table: it has no '{}'", path, show_typed(at), printable(step.key)));
  }
  if (!step.is_index || step.index > at.size()) {
    throw Error(origin, fmt::format("'{}' has no item '{}': it is a list of {}", path, printable(step.key), at.size()),
                fmt::format("items are counted from 0: {}", join(path, 0)));
  }
  path = join(path, step.index);
  if (step.index == at.size()) at.push_back(nullptr);
  return at[step.index];
}

void put(Draft& draft, json& at, const std::string& path, const json& value, const std::string& origin) {
  const bool merges = value.is_object() && !names_run(value) && !names_run(at);
  if (merges && !path.empty()) spell_out_plugin(at, path, origin);
  if (merges && at.is_object()) {
    for (const auto& [key, inner] : value.items()) put(draft, at[key], join(path, key), inner, origin);
    draft.origins.try_emplace(path, origin);
    return;
  }
  forget(draft.origins, path);
  at = value;
  remember(draft, value, path, origin);
}

void apply(Draft& draft, const Change& change) {
  std::string path;
  json* at = &draft.values;
  for (const auto& step : parse_path(change.path, change.origin)) {
    if (at != &draft.values) draft.origins.try_emplace(path, change.origin);
    at = &enter(*at, step, path, change.origin);
  }
  put(draft, *at, path, change.value, change.origin);
}

// Returns the section of the table at `path` if that table names the section's plugin, as "model" and "rewards[0]" do;
// otherwise nullptr.
const Section* plugin_section(const std::vector<PathPart>& path) {
  if (path.empty() || path.size() > 2) return nullptr;
  const Section* section = find_section(path[0].key);
  if (!section || section->plugin_kind.empty()) return nullptr;
  const bool in_list = section->parameter.type == Type::list;
  return path.size() == (in_list ? 2 : 1) ? section : nullptr;
}

// Returns the value at a path, or nullptr.
json* look(json& values, const std::vector<PathPart>& path) {
  json* at = &values;
  for (const auto& step : path) {
    if (at->is_object() && at->contains(step.key)) {
      at = &at->at(step.key);
    } else if (at->is_array() && step.is_index && step.index < at->size()) {
      at = &at->at(step.index);
    } else {
      return nullptr;
    }
  }
  return at;
}

std::string plugin_of(const json& table, const Section& section) {
  const json plugin = table.value("plugin", json());
  if (!plugin.is_null()) return plugin.is_string() ? plugin.get<std::string>() : "";
  const auto* field = find(section.parameter.fields, "plugin");
  return field && field->default_value ? field->default_value->get<std::string>() : "";
}

std::string text_of(const std::vector<PathPart>& path) {
  std::string text;
  for (const auto& step : path) text = step.is_index ? join(text, step.index) : join(text, step.key);
  return text;
}

// For a plugin among another one's settings, with its name or table at `path`: removes it with all its settings if
// `plugin` is another one.
void start_inner_afresh(Draft& draft, const std::vector<PathPart>& path, const json& plugin) {
  json* old = look(draft.values, path);
  if (!old || !(old->is_object() || old->is_string())) return;
  if (*old == plugin || (old->is_object() && old->value("plugin", json()) == plugin)) return;
  *old = json::object();
  forget(draft.origins, text_of(path));
}

// Removes the old plugin's own settings from the table at `path` if `plugin` is another one; null is the section's
// default plugin.
void start_afresh(Draft& draft, const std::vector<PathPart>& path, const json& plugin) {
  if (!plugin.is_string() && !plugin.is_null()) return;
  if (inside_plugin(path)) return start_inner_afresh(draft, path, plugin);
  const Section* section = plugin_section(path);
  json* table = section ? look(draft.values, path) : nullptr;
  if (!table || !table->is_object()) return;
  if (plugin_of(*table, *section) == plugin_of({{"plugin", plugin}}, *section)) return;
  const auto text = text_of(path);
  auto kept = json::object();
  for (const auto& [key, value] : table->items()) {
    if (find(section->parameter.fields, key)) {
      kept[key] = value;
    } else {
      forget(draft.origins, join(text, key));
    }
  }
  *table = std::move(kept);
}

// Calls start_afresh for every `plugin` key in a change.
void start_all_afresh(Draft& draft, const std::vector<PathPart>& path, const json& value) {
  if (!path.empty() && path.back().key == "plugin") start_afresh(draft, {path.begin(), path.end() - 1}, value);
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items()) {
    auto inside = path;
    inside.push_back(PathPart{key});
    start_all_afresh(draft, inside, inner);
  }
}

Draft changed(const Draft& base, const std::vector<Change>& changes) {
  Draft made = base;
  for (const auto& change : changes) start_all_afresh(made, parse_path(change.path, change.origin), change.value);
  for (const auto& change : changes) apply(made, change);
  return made;
}

// Renames settings that a change names as in the version before. `whole`: values with the change applied, which have
// the names of plugins.
Renames use_present_names(Change& change, json& whole) {
  auto path = parse_path(change.path, change.origin);
  const PathPart last = path.back();
  if (last.is_index) return rename_settings(change.value, text_of(path), look(whole, path));
  path.pop_back();
  json table = {{last.key, change.value}};
  const auto renamed = rename_settings(table, text_of(path), look(whole, path));
  if (!renamed.empty()) {
    change.path = join(text_of(path), table.begin().key());
    change.value = table.begin().value();
  }
  return renamed;
}

// Appends the changes that make the draft: one for each plain value, list or empty table.
void list_changes(const Draft& draft, const json& value, const std::string& path, std::vector<Change>& changes) {
  if (!path.empty() && (!value.is_object() || value.empty() || names_run(value))) {
    changes.push_back({path, value, draft.origin_of(path)});
  } else {
    for (const auto& [key, inner] : value.items()) list_changes(draft, inner, join(path, key), changes);
  }
}

}  // namespace

std::string Draft::origin_of(const std::string& path) const {
  for (std::string at = path;; at = parent(at)) {
    if (const auto found = origins.find(at); found != origins.end()) return found->second;
    if (at.empty()) return "";
  }
}

bool names_run(const json& value) {
  return value.is_object() && value.size() == 1 && value.contains("run") && value.at("run").is_string();
}

Change parse_set(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error("--set " + printable(text), "is not key=value", "for example --set grpo.lr=1e-4", Exit::usage);
  }
  return {text.substr(0, equals), parse_set_value(text.substr(equals + 1)), "--set"};
}

void set(Draft& draft, const std::string& path, const json& value, const std::string& origin) {
  draft = with(draft, {{path, value, origin}});
}

Draft with(const Draft& base, const std::vector<Change>& changes) {
  Draft made = changed(base, changes);
  auto present = changes;
  auto renamed = base.renamed;
  bool any = false;
  for (auto& change : present) {
    Change other = change;
    const auto names = use_present_names(other, made.values);
    const auto given = [&](const Change& one) { return one.path == other.path; };
    if (other.path != change.path && std::any_of(changes.begin(), changes.end(), given)) continue;
    for (const auto& [before, now] : names) renamed[before] = {now, change.origin}, any = true;
    change = other;
  }
  if (!any) return made;
  made = changed(base, present);
  made.renamed = renamed;
  return made;
}

Draft merge(const Draft& base, const Draft& changes) {
  std::vector<Change> list;
  list_changes(changes, changes.values, "", list);
  Draft made = with(base, list);
  for (const auto& change : list) {
    if (!change.value.is_array()) continue;  // tables in a list keep their own origins, which `with` has replaced
    for (const auto& [path, origin] : changes.origins) {
      if (within(path, change.path)) made.origins[path] = origin;
    }
  }
  if (base.origins.count("") == 0 && changes.origins.count("")) made.origins[""] = changes.origins.at("");
  made.sources.insert(changes.sources.begin(), changes.sources.end());
  made.renamed.insert(changes.renamed.begin(), changes.renamed.end());
  return made;
}

}  // namespace compeer::spec
