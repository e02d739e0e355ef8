// Cache of finished stages, shared by all runs of a folder, and their keys.
#include "data/stage_cache.h"

#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "spec/spec.h"

namespace compeer::data {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr uint64_t longest_result = 256 << 20;

json result_of(const StageOutput& made) {
  return {{"sha256", made.sha256},
          {"tally", made.tally},
          {"findings", made.findings},
          {"chats", made.chats},
          {"seconds", made.seconds}};
}

StageOutput made_in(const fs::path& folder) {
  StageOutput made;
  made.records = folder / "records.jsonl";
  made.dropped = folder / "dropped.jsonl";
  const json result = json::parse(read_file(folder / "result.json", longest_result));
  result.at("sha256").get_to(made.sha256);
  result.at("tally").get_to(made.tally);
  made.findings = result.at("findings");
  made.chats = result.at("chats");
  made.seconds = result.value("seconds", 0.0);  // absent in stages of older versions
  return made;
}

// Makes the file read-only: a run's hard link to it must not be edited.
void protect(const fs::path& file) {
  std::error_code ignored;
  const auto writable = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  fs::permissions(file, writable, fs::perm_options::remove, ignored);
}

// Adds the names of all plugins in a table of settings, its own included.
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

std::optional<StageOutput> StageCache::find(const std::string& key) const {
  const fs::path place = folder_ / key;
  if (!fs::exists(place)) return std::nullopt;
  try {
    StageOutput made = made_in(place);
    made.reused = true;
    if (fs::exists(made.dropped) && sha256_file(made.records) == made.sha256) return made;
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
  } catch (const json::exception&) {
  }
  fs::remove_all(place);
  return std::nullopt;
}

StageOutput StageCache::put(const std::string& key, const fs::path& part, const StageOutput& made) const {
  StageOutput kept = made;
  kept.sha256 = sha256_file(part / "records.jsonl");
  write_file(part / "result.json", result_of(kept).dump(1) + "\n");
  protect(part / "records.jsonl");
  protect(part / "dropped.jsonl");
  fs::create_directories(folder_);
  std::error_code code;
  fs::rename(part, folder_ / key, code);
  // Another run may have added the key meanwhile: its files are the same.
  if (code && !find(key))
    throw Error((folder_ / key).string(), "can't be created: " + code.message(), "", Exit::failure);
  sync_folder(folder_);
  kept.records = folder_ / key / "records.jsonl";
  kept.dropped = folder_ / key / "dropped.jsonl";
  return kept;
}

void link_or_copy(const fs::path& kept, const fs::path& place) {
  std::error_code code;
  fs::remove(place, code);
  fs::create_hard_link(kept, place, code);
  if (!code) return;
  fs::copy_file(kept, place, fs::copy_options::overwrite_existing, code);
  if (code) throw Error(place.string(), "can't be written: " + code.message(), "", Exit::failure);
  sync_file(place);
}

std::string stage_key(const json& spec_file, const PluginChoice& choice, const std::string& input,
                      const std::string& cache_key) {
  const json& spec = spec_file.at("spec");
  json all = {{"format", 1},
              {"input", input},
              {"settings", choice.table},
              {"seed", spec.at("seed")},
              {"plugins", libraries(spec_file, choice)},
              {"pins", pins(spec, choice.path)},
              {"ingredients", cache_key}};
  const auto how = spec::compute_settings(spec);
  if (how.compute != "float32" || how.device != "cpu") all["computes"] = {how.compute, how.device};
  return sha256(all.dump());
}

}  // namespace compeer::data
