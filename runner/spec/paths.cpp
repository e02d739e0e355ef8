// Files and folders that a spec names: where they are, and the hash of their contents (the pin).
#include "spec/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/model_folder.h"

namespace compeer::spec {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t most_bytes = 64 << 20;

struct File {
  std::string name;
  fs::path path;
  uintmax_t size;
};

std::vector<File> files_in(const fs::path& folder) {
  std::vector<File> files;
  for (const auto& entry : entries_below(folder)) {
    if (entry.is_regular_file())
      files.push_back({entry.path().lexically_relative(folder), entry.path(), entry.file_size()});
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

std::string pin_files(const std::vector<File>& files) {
  uintmax_t bytes = 0;
  for (const auto& file : files) bytes += file.size;
  std::string text = bytes <= most_bytes ? "contents\n" : "sizes\n";
  for (const auto& file : files) {
    text += fmt::format("{}\t{}", file.name, file.size);
    if (bytes <= most_bytes) text += '\t' + sha256_file(file.path);
    text += '\n';
  }
  return sha256(text);
}

}  // namespace

std::optional<fs::path> locate(const fs::path& path) {
  std::error_code code;
  if (fs::exists(path, code)) return path;
  const char* home = std::getenv("COMPEER_HOME");
  if (!home || !*home || path.is_absolute()) return {};
  const auto inside = fs::absolute(fs::path(home) / path, code).lexically_normal();
  return fs::exists(inside, code) ? std::optional(inside) : std::nullopt;
}

std::string nearest_files(const fs::path& file) {
  for (const char* folder : {"scripts", "experiments"}) {
    if (const auto meant = fs::path(folder) / file.filename(); locate(meant))
      return fmt::format("did you mean '{}'?", meant.string());
  }
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(locate(folder).value_or(folder), code)) {
    if (entry.path().extension() == file.extension()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  if (names.size() > 20) names.resize(20);
  return names.empty() ? "" : suggest(file.filename(), names);
}

std::string pin(const fs::path& path) {
  try {
    if (fs::is_regular_file(path)) return pin_files({{"", path, fs::file_size(path)}});
    if (!fs::is_directory(path)) throw Error(path.string(), "is neither a file nor a folder", "", Exit::data);
    for (const char* telling : {"manifest.json", "summary.json"}) {
      if (fs::is_regular_file(path / telling)) return sha256_file(path / telling);
    }
    return pin_files(files_in(path));
  } catch (const fs::filesystem_error& error) {
    throw read_error(error.path1().empty() ? path : error.path1(), error.code().value());
  }
}

std::string model_type(const std::filesystem::path& folder, const std::vector<std::string>& known) {
  check_model_folder(folder);
  const auto file = base_model(folder) / "config.json";
  const nlohmann::json config = read_json_object(file);
  if (!config.contains("model_type") || !config.at("model_type").is_string())
    throw Error(file.string(), "contains no model_type", "a model folder has the layout that transformers writes",
                Exit::data);
  const auto name = config.at("model_type").get<std::string>();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error(file.string(), "no plugin reads models of type '" + name + "'", suggest(name, known), Exit::data);
  return name;
}

}  // namespace compeer::spec
