// Configuration of a sentence encoder.
#include "config.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::sentence_encoder {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr uint64_t longest_file = 10'000'000;
constexpr int64_t largest_size = INT32_MAX;

[[noreturn]] void refuse(const fs::path& file, const std::string& what, const std::string& help = "") {
  throw Error(file.string(), what, help, Exit::data);
}

json read(const fs::path& file) {
  const json found = parse_json(read_plain_file(file, longest_file));
  if (found.is_discarded()) refuse(file, "is not JSON");
  return found;
}

json read_object(const fs::path& file) {
  json found = read(file);
  if (!found.is_object()) refuse(file, "is not a JSON object");
  return found;
}

int64_t size(const json& table, const char* key, const fs::path& file) {
  if (!table.contains(key)) refuse(file, std::string("has no whole number '") + key + "'");
  const json& value = table.at(key);
  if (!value.is_number_integer() || value < 1 || value > largest_size)
    refuse(file, std::string("'") + key + "' must be a whole number above 0, not " + value.dump());
  return value.get<int64_t>();
}

// Refuses another value than `wanted` for the key, if it is set.
void need(const json& table, const char* key, const json& wanted, const fs::path& file) {
  if (!table.contains(key) || table.at(key).is_null() || table.at(key) == wanted) return;
  refuse(file, std::string("'") + key + "' is " + table.at(key).dump() + "; only " + wanted.dump() + " is supported");
}

bool flag(const json& table, const char* key, const fs::path& file) {
  if (!table.contains(key) || table.at(key).is_null()) return false;
  if (!table.at(key).is_boolean()) refuse(file, std::string("'") + key + "' must be true or false");
  return table.at(key).get<bool>();
}

void read_pooling(const fs::path& file, Recipe& recipe) {
  const json table = read_object(file);
  if (table.contains("pooling_mode")) {
    const json& mode = table.at("pooling_mode");
    if (mode != "mean" && mode != "cls")
      refuse(file, "'pooling_mode' is " + mode.dump() + "; only mean and cls are supported");
    recipe.first_only = mode == "cls";
    return;
  }
  for (const auto& [key, value] : table.items()) {
    if (!key.starts_with("pooling_mode_") || key == "pooling_mode_cls_token" || key == "pooling_mode_mean_tokens")
      continue;
    if (flag(table, key.c_str(), file)) refuse(file, "'" + key + "' is not supported; only mean and cls are");
  }
  const bool first = flag(table, "pooling_mode_cls_token", file), mean = flag(table, "pooling_mode_mean_tokens", file);
  if (first == mean) refuse(file, "must set either 'pooling_mode_cls_token' or 'pooling_mode_mean_tokens'");
  recipe.first_only = first;
}

void read_modules(const fs::path& folder, Recipe& recipe) {
  const fs::path file = folder / "modules.json";
  const json modules = read(file);
  if (!modules.is_array()) refuse(file, "is not a JSON list");
  for (const json& module : modules) {
    if (!module.is_object()) refuse(file, "contains an item that is not an object");
    const json type = module.value("type", json()), path = module.value("path", json());
    if (!type.is_string() || !path.is_string()) refuse(file, "has a module without 'type' and 'path'");
    const auto name = type.get<std::string>().substr(type.get<std::string>().rfind('.') + 1);
    if (name == "Transformer") {
      if (path != "") recipe.model = folder / path.get<std::string>();
    } else if (name == "Pooling") {
      read_pooling(folder / path.get<std::string>() / "config.json", recipe);
    } else if (name != "Normalize") {
      refuse(file, "the module " + type.dump() + " is not supported",
             "only Transformer, Pooling and Normalize are supported");
    }
  }
}

}  // namespace

BertConfig read_config(const fs::path& file) {
  const json table = read_object(file);
  const json type = table.value("model_type", json());
  if (type != "bert") refuse(file, "'model_type' is " + type.dump() + "; only \"bert\" is supported");
  need(table, "hidden_act", "gelu", file);
  need(table, "position_embedding_type", "absolute", file);
  need(table, "is_decoder", false, file);
  BertConfig c;
  c.vocab_size = size(table, "vocab_size", file);
  c.hidden_size = size(table, "hidden_size", file);
  c.num_hidden_layers = size(table, "num_hidden_layers", file);
  c.num_attention_heads = size(table, "num_attention_heads", file);
  c.intermediate_size = size(table, "intermediate_size", file);
  c.max_position_embeddings = size(table, "max_position_embeddings", file);
  c.type_vocab_size = size(table, "type_vocab_size", file);
  if (table.contains("layer_norm_eps")) {
    const json& epsilon = table.at("layer_norm_eps");
    if (!epsilon.is_number() || !(epsilon.get<double>() > 0) || !std::isfinite(epsilon.get<double>()))
      refuse(file, "'layer_norm_eps' must be a number above 0, not " + epsilon.dump());
    c.layer_norm_eps = epsilon.get<double>();
  }
  if (c.hidden_size % c.num_attention_heads != 0)
    refuse(file, "'hidden_size' must be a multiple of 'num_attention_heads'");
  if (c.max_position_embeddings < 3) refuse(file, "'max_position_embeddings' must be at least 3");
  return c;
}

Recipe read_recipe(const fs::path& folder) {
  if (!fs::is_directory(folder))
    refuse(folder, "is not a folder",
           "set it to the folder of a BERT-class encoder: config.json, model.safetensors, vocab.txt");
  Recipe recipe;
  recipe.model = folder;
  if (fs::exists(folder / "modules.json")) {
    read_modules(folder, recipe);
  } else if (const auto pooling = folder / "1_Pooling" / "config.json"; fs::exists(pooling)) {
    read_pooling(pooling, recipe);
  }
  const fs::path file = recipe.model / "sentence_bert_config.json";
  if (!fs::exists(file)) return recipe;
  const json table = read_object(file);
  recipe.lowercase = flag(table, "do_lower_case", file);
  if (!table.value("max_seq_length", json()).is_null()) {
    recipe.max_tokens = size(table, "max_seq_length", file);
    if (recipe.max_tokens < 3) refuse(file, "'max_seq_length' must be at least 3");
  }
  return recipe;
}

}  // namespace compeer::sentence_encoder
