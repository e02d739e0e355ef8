#include "base/model_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"

namespace compeer {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t tail = 1 << 20;  // bytes

}  // namespace

bool holds_adapter(const fs::path& folder) {
  return fs::exists(folder / "adapter_config.json") && !fs::exists(folder / "config.json");
}

fs::path base_model(const fs::path& folder) {
  if (!holds_adapter(folder)) return folder;
  const auto file = folder / "adapter_config.json";
  const auto config = read_json_object(file);
  const auto named = config.value("base_model_name_or_path", nlohmann::json());
  const std::string name = named.is_string() ? named.get<std::string>() : "";
  const char* home = std::getenv("COMPEER_HOME");
  for (const fs::path& from : {fs::path("."), folder, folder.parent_path(), fs::path(home ? home : ".")}) {
    if (!name.empty() && fs::exists(from / name / "config.json")) return (from / name).lexically_normal();
  }
  throw Error(file.string(), name.empty() ? "names no base model" : "its base model '" + name + "' is not there",
              "set base_model_name_or_path to the folder of the model that the adapter was made for", Exit::data);
}

std::string weights_mark(const fs::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() != ".safetensors") continue;
    const auto size = fs::file_size(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    file.seekg(static_cast<std::streamoff>(size - std::min(size, tail)));
    const std::string end{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw Error(entry.path().string(), "can't be read", "", Exit::data);
    files[entry.path().filename().string()] = std::to_string(size) + " " + sha256(end);
  }
  if (files.empty()) throw Error(folder.string(), "holds no weights (*.safetensors)", "", Exit::data);
  return sha256(nlohmann::json(files).dump());
}

}  // namespace compeer
