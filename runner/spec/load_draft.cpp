#include "spec/load_draft.h"

#include <map>
#include <utility>

#include "base/error.h"
#include "base/plain_file.h"

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

void refuse_other_language(const fs::path& file) {
  constexpr auto experiment =
      "start from one: compeer resolve experiments/smoke_grpo.toml >mine.toml; compeer run mine.toml";
  constexpr auto script = "start from one: cp scripts/quickstart.lua mine.lua; compeer run mine.lua (docs/lua.md)";
  constexpr auto data = "an experiment names its data by dataset.plugin and dataset.path (docs/corpora.md)";
  static const std::map<std::string, std::pair<const char*, const char*>> others = {
      {".yaml", {"is YAML; experiments are TOML files", experiment}},
      {".yml", {"is YAML; experiments are TOML files", experiment}},
      {".py", {"is Python; scripts are written in Lua", script}},
      {".ipynb", {"is Python; scripts are written in Lua", script}},
      {".csv", {"is a table; experiments are TOML files", data}},
      {".jsonl", {"holds records; experiments are TOML files", data}},
  };
  if (const auto found = others.find(file.extension().string()); found != others.end())
    throw Error(file.string(), found->second.first, found->second.second, Exit::usage);
}

}  // namespace

Draft load_draft(const std::string& file, const std::vector<std::string>& sets) {
  refuse_other_language(file);
  std::vector<Change> changes;
  for (const auto& set : sets) changes.push_back(parse_set(set));
  const auto known = recorded_spec(file);
  return with(known ? read_spec(*known).draft() : load_toml(file), changes);
}

}  // namespace compeer::spec
