#include "spec/load_draft.h"

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
  const auto end = file.extension();
  const bool yaml = end == ".yaml" || end == ".yml", python = end == ".py" || end == ".ipynb";
  if (!yaml && !python) return;
  throw Error(file.string(), yaml ? "is YAML; experiments are TOML files" : "is Python; scripts are written in Lua",
              yaml ? "start from one: compeer resolve experiments/smoke_grpo.toml >mine.toml; compeer run mine.toml"
                   : "start from one: cp scripts/quickstart.lua mine.lua; compeer run mine.lua (docs/lua.md)",
              Exit::usage);
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
