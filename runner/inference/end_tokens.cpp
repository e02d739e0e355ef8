#include "inference/end_tokens.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"

namespace compeer::inference {

namespace {

using nlohmann::json;

const json* eos_of(const json& config) {
  for (const json* table : {&config, config.contains("text_config") ? &config.at("text_config") : nullptr}) {
    if (table && table->is_object() && table->contains("eos_token_id") && !table->at("eos_token_id").is_null())
      return &table->at("eos_token_id");
  }
  return nullptr;
}

bool is_id(const json& value) { return value.is_number_unsigned() && value.get<uint64_t>() <= INT32_MAX; }

}  // namespace

std::vector<int32_t> end_tokens(const std::filesystem::path& folder) { return end_tokens(folder, base_model(folder)); }

std::vector<int32_t> end_tokens(const std::filesystem::path& folder, const std::filesystem::path& base) {
  for (const auto& file : {folder / "generation_config.json", base / "generation_config.json", base / "config.json"}) {
    if (!std::filesystem::exists(file)) continue;
    const json config = read_json_object(file);
    const json* eos = eos_of(config);
    if (!eos) continue;
    std::vector<int32_t> ids;
    for (const json& id : eos->is_array() ? *eos : json::array({*eos})) {
      if (!is_id(id))
        throw Error(file.string(), "eos_token_id is " + eos->dump().substr(0, 60) + ", not a token id or a list", "",
                    Exit::data);
      ids.push_back(id.get<int32_t>());
    }
    return ids;
  }
  return {};
}

}  // namespace compeer::inference
