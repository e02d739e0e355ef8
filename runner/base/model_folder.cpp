#include "base/model_folder.h"

#include <cstdlib>

#include "base/error.h"
#include "base/json.h"

namespace compeer {

namespace fs = std::filesystem;

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

}  // namespace compeer
