// Recognizes model folders, and says what to do about paths that are none.
#include "base/model_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace compeer {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t tail = 1 << 20;  // bytes at the end of a weights file that weights_fingerprint() hashes

// True if `path` exists. Throws read_error() if that can't be determined.
bool is_there(const fs::path& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (status.type() == fs::file_type::none) throw read_error(path, failed.value());
  return fs::exists(status);
}

bool holds_model(const fs::path& folder) { return is_there(folder / "config.json") || holds_adapter(folder); }

std::string import_command(const fs::path& file) {
  return "compeer import " + file.string() + " -o models/" + file.stem().string();
}

// Throws Error (exit 4) for a file that was given instead of a model folder.
[[noreturn]] void refuse_file(const fs::path& file) {
  std::string magic(4, ' ');
  std::ifstream(file, std::ios::binary).read(magic.data(), 4);
  if (magic == "GGUF")
    throw Error(file.string(), "is a GGUF file, not a model folder", "import it: " + import_command(file), Exit::data);
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  throw Error(file.string(), "is a file, not a model folder",
              "pass the folder that contains config.json" + (holds_model(folder) ? ": " + folder.string() : ""),
              Exit::data);
}

// Returns a help that suggests existing folders with names similar to the missing `folder`; empty if there are none.
std::string neighbours(const fs::path& folder) {
  std::error_code none;
  std::vector<std::string> names;
  const auto parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(parent, none)) {
    if (entry.is_directory(none)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names.empty() ? "" : suggest(folder.filename().string(), names);
}

// Returns the help for a folder without a model: the run's checkpoint or the GGUF file in it that was probably meant.
std::string nearby(const fs::path& folder) {
  std::error_code none;
  if (holds_model(folder / "checkpoints/last"))
    return "the newest model of this run is in " + (folder / "checkpoints/last").string();
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".gguf") return "import its GGUF file: " + import_command(entry.path());
  }
  return "a model folder has the layout of Hugging Face transformers: config.json and *.safetensors";
}

}  // namespace

void check_model_folder(const fs::path& folder) {
  std::error_code none;
  if (fs::is_regular_file(folder, none)) refuse_file(folder);
  if (!is_there(folder)) {
    const auto download = download_help(folder.string());
    throw Error(folder.string(), "does not exist", download.empty() ? neighbours(folder) : download, Exit::data);
  }
  if (!holds_model(folder)) throw Error(folder.string(), "has no config.json", nearby(folder), Exit::data);
}

std::string download_help(const std::string& path) {
  static const std::regex hub_name(R"([A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9._-]*)");
  std::error_code none;
  const auto owner = fs::path(path).parent_path();
  if (!std::regex_match(path, hub_name) || owner == "results" || owner == "models" || fs::exists(owner, none))
    return {};
  const auto folder = "models/" + fs::path(path).filename().string();
  return "to use the Hugging Face Hub's model: hf download " + path + " --local-dir " + folder + ", then pass " +
         folder;
}

bool holds_adapter(const fs::path& folder) {
  return is_there(folder / "adapter_config.json") && !is_there(folder / "config.json");
}

fs::path base_model(const fs::path& folder) {
  if (std::error_code none; fs::is_regular_file(folder, none)) refuse_file(folder);
  if (!holds_adapter(folder)) return folder;
  const auto file = folder / "adapter_config.json";
  const auto config = read_json_object(file);
  const auto named = config.value("base_model_name_or_path", nlohmann::json());
  const std::string name = named.is_string() ? named.get<std::string>() : "";
  const char* home = std::getenv("COMPEER_HOME");
  for (const fs::path& from : {fs::path("."), folder, folder.parent_path(), fs::path(home ? home : ".")}) {
    if (!name.empty() && is_there(from / name / "config.json")) return (from / name).lexically_normal();
  }
  throw Error(file.string(),
              name.empty() ? "has no base_model_name_or_path" : "its base model '" + name + "' was not found",
              "set base_model_name_or_path to the folder of the model that the adapter was trained on", Exit::data);
}

std::string weights_fingerprint(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : entries_of(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    const auto size = fs::file_size(entry.path());
    auto file = open_to_read(entry.path());
    std::string end(std::min(size, tail), '\0');
    file.seekg(static_cast<std::streamoff>(size - end.size()));
    file.read(end.data(), static_cast<std::streamsize>(end.size()));
    check_read(file, entry.path());
    files[entry.path().filename().string()] = std::to_string(size) + " " + sha256(end);
  }
  if (files.empty()) throw Error(folder.string(), "contains no weights (*.safetensors)", "", Exit::data);
  return sha256(nlohmann::json(files).dump());
}

}  // namespace compeer
