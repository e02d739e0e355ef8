#include "spec/model_type.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"

namespace compeer::spec {

namespace {

// Folders beside one that isn't there.
std::string neighbours(const std::filesystem::path& folder) {
  std::error_code none;
  std::vector<std::string> names;
  const auto parent = folder.has_parent_path() ? folder.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(parent, none)) {
    if (entry.is_directory(none)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names.empty() ? "" : suggest(folder.filename().string(), names);
}

}  // namespace

std::string model_type(const std::filesystem::path& folder, const std::vector<std::string>& known) {
  if (!std::filesystem::exists(folder))
    throw Error(folder.string(), "there is no such folder", neighbours(folder), Exit::data);
  const auto file = base_model(folder) / "config.json";
  const nlohmann::json config = read_json_object(file);
  if (!config.contains("model_type") || !config.at("model_type").is_string())
    throw Error(file.string(), "names no model_type", "a model folder has the layout that transformers writes",
                Exit::data);
  const auto name = config.at("model_type").get<std::string>();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error(file.string(), "no plugin reads models of type '" + name + "'", suggest(name, known), Exit::data);
  return name;
}

}  // namespace compeer::spec
