// Options of the worker's commands as settings of models and sampling.
#include "inference/command_options.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"
#include "inference/device.h"

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

ModelOptions model_options(const nlohmann::json& options) {
  const auto asked = options.at("engine").get<std::string>();
  const auto device = use_device_option(options.at("device"), asked.empty() ? "libtorch" : asked);
  return {.folder = options.at("model").get<std::string>(),
          .precision = options.at("dtype"),
          .compute = options.at("compute"),
          .engine = !asked.empty()    ? asked
                    : device == "cpu" ? "exact"
                                      : "libtorch",
          .device = device};
}

rollout::Request request_from(const nlohmann::json& options) {
  rollout::Request request;
  request.sampling.temperature = options.at("temperature");
  request.sampling.greedy = options.at("greedy");
  request.sampling.top_k = options.at("top_k");
  request.sampling.top_p = options.at("top_p");
  request.sampling.min_p = options.at("min_p");
  request.sampling.repetition_penalty = options.at("repetition_penalty");
  request.sampling.max_new_tokens = options.at("max_new");
  request.seed = options.at("seed");
  if (!options.at("ignore_end").get<bool>()) request.end_tokens = end_tokens(options.at("model").get<std::string>());
  return request;
}

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
