#include "record/adapter.h"

#include <cmath>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::record {

namespace {

using nlohmann::json;

const std::string older = "model.", newer = "model.language_model.";

std::string change_of(const std::string& weight, const char* matrix) {
  const size_t end = weight.rfind(".weight");
  return "base_model.model." + weight.substr(0, end) + ".lora_" + matrix + ".weight";
}

}  // namespace

double AdapterConfig::scaling() const {
  const auto r = static_cast<double>(rank);
  return alpha / (rslora ? std::sqrt(r) : r);
}

AdapterConfig read_adapter_config(const std::filesystem::path& folder) {
  const auto file = folder / "adapter_config.json";
  const json table = read_json_object(file);
  const auto refuse = [&](const std::string& what) { throw Error(file.string(), what, "", Exit::data); };
  const auto given = [&](const char* key) { return table.contains(key) && !table.at(key).is_null(); };
  if (table.value("peft_type", json("LORA")) != "LORA")
    refuse("peft_type is " + table.at("peft_type").dump() + "; LORA is read");
  for (const char* key : {"use_dora", "use_qalora", "use_bdlora", "lora_bias", "fan_in_fan_out"}) {
    if (given(key) && table.at(key) != false) refuse(std::string("'") + key + "' is not supported");
  }
  for (const char* key : {"modules_to_save", "layer_replication", "trainable_token_indices", "target_parameters",
                          "rank_pattern", "alpha_pattern"}) {
    if (given(key) && !table.at(key).empty()) refuse(std::string("'") + key + "' is not supported");
  }
  if (given("bias") && table.at("bias") != "none") refuse("'bias' must be \"none\"");
  AdapterConfig config;
  if (!given("r") || !table.at("r").is_number_integer() || table.at("r").get<int64_t>() < 1)
    refuse("'r' must be a whole number of at least 1");
  config.rank = table.at("r").get<int64_t>();
  if (!given("lora_alpha") || !table.at("lora_alpha").is_number()) refuse("'lora_alpha' must be a number");
  config.alpha = table.at("lora_alpha").get<double>();
  config.rslora = given("use_rslora") && table.at("use_rslora") == true;
  config.base = given("base_model_name_or_path") && table.at("base_model_name_or_path").is_string()
                    ? table.at("base_model_name_or_path").get<std::string>()
                    : "";
  if (given("target_modules") && table.at("target_modules").is_array()) {
    for (const json& target : table.at("target_modules")) {
      if (target.is_string()) config.targets.push_back(target.get<std::string>());
    }
  }
  return config;
}

void write_adapter_config(const AdapterConfig& config, const std::filesystem::path& folder) {
  const json table{{"peft_type", "LORA"},
                   {"task_type", "CAUSAL_LM"},
                   {"base_model_name_or_path", config.base},
                   {"r", config.rank},
                   {"lora_alpha", config.alpha},
                   {"use_rslora", config.rslora},
                   {"lora_dropout", 0.0},
                   {"bias", "none"},
                   {"inference_mode", true},
                   {"target_modules", config.targets}};
  write_file(folder / "adapter_config.json", table.dump(2) + "\n");
}

ChangeNames change_names(const std::string& weight) { return {change_of(weight, "A"), change_of(weight, "B")}; }

std::string newer_name(const std::string& weight) {
  return weight.starts_with(older) && !weight.starts_with(newer) ? newer + weight.substr(older.size()) : weight;
}

ChangeNames change_names(const Safetensors& file, const std::string& weight) {
  const auto own = change_names(weight);
  const auto published = weight.starts_with(newer) ? older + weight.substr(newer.size()) : weight;
  for (const auto& names : {own, change_names(newer_name(weight)), change_names(published)}) {
    if (file.has(names.a) || file.has(names.b)) return names;
  }
  return own;
}

}  // namespace compeer::record
