// Sizes of models from their configuration, for estimates before a run.
#include "inference/known_models.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"
#include "language/tokenizer.h"
#include "record/adapter.h"

namespace compeer::inference {

using nlohmann::json;

namespace {

int64_t number(const json& table, const char* key, int64_t otherwise) {
  const auto found = table.find(key);
  return found != table.end() && found->is_number_integer() ? found->get<int64_t>() : otherwise;
}

int64_t needed(const json& table, const char* key, const std::string& where) {
  const auto value = number(table, key, 0);
  if (value < 1) throw Error(where, fmt::format("has no '{}'", key), "", Exit::data);
  return value;
}

// The vision tower of Qwen2.5-VL: blocks with a gated feed-forward layer and biases, then a merger of 2 x 2 patches.
void add_tower(const json& config, ModelSize& size) {
  const int64_t width = number(config, "hidden_size", 1280), wide = number(config, "intermediate_size", 3420),
                out = number(config, "out_hidden_size", size.shape.hidden), patch = number(config, "patch_size", 14),
                frames = number(config, "temporal_patch_size", 2), channels = number(config, "in_chans", 3),
                side = number(config, "spatial_merge_size", 2), joined = side * side * width;
  const int64_t attention = 4 * width * width + 4 * width, forward = 3 * width * wide + 2 * wide + width;
  const int64_t merger = width + joined * joined + joined + joined * out + out;
  size.vision_parameters = number(config, "depth", 32) * (attention + forward + 2 * width) +
                           channels * frames * patch * patch * width + merger;
}

bool has(const json& table, const char* key) { return table.contains(key) && !table.at(key).is_null(); }

// Configuration of a newly initialized model, as in config.json.
json fresh(const json& table) {
  json config = table.at("config");
  config["model_type"] = table.at("plugin");
  if (!config.contains("vocab_size"))
    config["vocab_size"] = language::Tokenizer::load(table.at("tokenizer").get<std::string>()).size();
  return config;
}

}  // namespace

ModelSize model_size(const json& config, const std::string& where) {
  const json& text = config.contains("text_config") ? config.at("text_config") : config;
  const auto family = config.value("model_type", "");
  ModelSize size;
  auto& shape = size.shape;
  shape.layers = needed(text, "num_hidden_layers", where);
  shape.hidden = needed(text, "hidden_size", where);
  shape.feed_forward = needed(text, "intermediate_size", where);
  shape.vocabulary = needed(text, "vocab_size", where);
  shape.positions = number(text, "max_position_embeddings", 0);
  const int64_t heads = needed(text, "num_attention_heads", where);
  shape.kv_heads = number(text, "num_key_value_heads", heads);
  shape.head_dim = number(text, "head_dim", shape.hidden / heads);
  const int64_t asks = heads * shape.head_dim, keys = shape.kv_heads * shape.head_dim;
  const int64_t biases = family.starts_with("qwen2") || text.value("attention_bias", false) ? asks + 2 * keys : 0;
  const int64_t norms = 2 * shape.hidden + (family.starts_with("qwen3") ? 2 * shape.head_dim : 0);
  const int64_t products = 2 * shape.hidden * (asks + keys) + 3 * shape.hidden * shape.feed_forward;
  size.blocks = shape.layers * (products + biases + norms) + shape.hidden;
  size.lora_parameters_per_rank =
      shape.layers * (4 * shape.hidden + 2 * asks + 2 * keys + 3 * (shape.hidden + shape.feed_forward));
  size.embedding = shape.vocabulary * shape.hidden;
  const json tied = text.contains("tie_word_embeddings") ? text.at("tie_word_embeddings")
                                                         : config.value("tie_word_embeddings", json(false));
  if (!tied.is_boolean() || !tied.get<bool>()) size.head = size.embedding;
  const auto type = text.value("torch_dtype", text.value("dtype", config.value("torch_dtype", "")));
  size.is_16_bit = type == "bfloat16" || type == "float16";
  if (config.contains("vision_config")) add_tower(config.at("vision_config"), size);
  return size;
}

KnownModel KnownModels::from_table(const json& table) const {
  KnownModel known;
  if (has(table, "path")) {
    known = in_folder(table.at("path").get<std::string>());
  } else if (has(table, "config")) {
    known.size = model_size(fresh(table), "model.config");
  }
  if (!has(table, "adapter")) return known;
  const json& adapter = table.at("adapter");
  if (!has(adapter, "path")) {
    known.adapter_rank = adapter.at("rank").get<int64_t>();
    return known;
  }
  const auto started = in_folder(adapter.at("path").get<std::string>());
  if (!has(table, "path")) known.size = started.size, known.base = started.base;
  known.adapter_rank = started.adapter_rank;
  return known;
}

KnownModel KnownModels::in_folder(const std::string& folder) const {
  if (const auto* table = planned(folder)) {
    auto known = from_table(*table);
    if (known.adapter_rank == 0) known.base = folder, known.size.is_16_bit = false;  // checkpoints are float32
    return known;
  }
  const auto base = base_model(folder);
  KnownModel known{model_size(read_json_object(base / "config.json"), (base / "config.json").string()), 0,
                   base.string()};
  if (holds_adapter(folder)) known.adapter_rank = record::read_adapter_config(folder).rank;
  return known;
}

const json* KnownModels::planned(const std::string& folder) const {
  for (const auto& [made, table] : planned_.items()) {
    if (folder == made || folder.starts_with(made + "/")) return &table;
  }
  return nullptr;
}

}  // namespace compeer::inference
