#include "spec/model_type.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"

namespace compeer::spec {

std::string model_type(const std::filesystem::path& folder, const std::vector<std::string>& known) {
  check_model_folder(folder);
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
