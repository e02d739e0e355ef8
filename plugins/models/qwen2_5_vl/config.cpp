// config.json of Qwen2.5-VL.
#include "config.h"

#include "base/error.h"

namespace compeer::qwen2_5_vl {

namespace {

using nlohmann::json;

void need(bool good, const std::string& where, const std::string& what) {
  if (!good) throw Error(where, what, "", Exit::data);
}

// Reads a whole number >= `least`; keeps `value` if the key is missing.
void read(const json& table, const char* key, int64_t least, int64_t& value, const std::string& where) {
  if (!table.contains(key) || table.at(key).is_null()) return;
  need(table.at(key).is_number_integer() && table.at(key).get<int64_t>() >= least, where,
       std::string("'") + key + "' must be a whole number of at least " + std::to_string(least));
  value = table.at(key).get<int64_t>();
}

std::set<int64_t> read_blocks(const json& indexes, const std::string& where) {
  std::set<int64_t> blocks;
  need(indexes.is_array(), where, "'fullatt_block_indexes' must be a list");
  for (const json& index : indexes) {
    need(index.is_number_integer(), where, "'fullatt_block_indexes' must be whole numbers");
    blocks.insert(index.get<int64_t>());
  }
  return blocks;
}

Vision read_vision(const json& table, const std::string& where) {
  need(table.value("hidden_act", "silu") == "silu", where, "hidden_act must be 'silu'");
  Vision v;
  read(table, "depth", 1, v.depth, where);
  read(table, "hidden_size", 1, v.hidden_size, where);
  read(table, "intermediate_size", 1, v.intermediate_size, where);
  read(table, "num_heads", 1, v.num_heads, where);
  for (const char* key : {"in_chans", "in_channels"}) read(table, key, 1, v.in_channels, where);
  read(table, "patch_size", 1, v.patch_size, where);
  read(table, "temporal_patch_size", 1, v.temporal_patch_size, where);
  read(table, "spatial_merge_size", 1, v.spatial_merge_size, where);
  read(table, "window_size", 1, v.window_size, where);
  read(table, "out_hidden_size", 1, v.out_hidden_size, where);
  read(table, "tokens_per_second", 0, v.tokens_per_second, where);
  if (table.contains("fullatt_block_indexes")) v.full_attention = read_blocks(table["fullatt_block_indexes"], where);
  if (table.contains("rope_parameters") && table["rope_parameters"].is_object())
    v.rope_theta = table["rope_parameters"].value("rope_theta", v.rope_theta);
  need(v.hidden_size % v.num_heads == 0 && v.head_dim() % 4 == 0, where,
       "hidden_size / num_heads must be a multiple of 4");
  need(v.window() >= 1, where, "window_size must be at least one merged unit");
  return v;
}

}  // namespace

VlConfig read_config(const json& config, const std::string& where) {
  constexpr decoder::Family text_family{.model_type = "qwen2_5_vl",
                                        .architecture = "Qwen2_5_VLForConditionalGeneration",
                                        .biases = true,
                                        .slides = decoder::SlidingWindow::if_asked,
                                        .has_vision = true};
  need(config.is_object(), where, "is not a JSON object");
  const json type = config.value("model_type", json());
  need(type == "qwen2_5_vl", where, "model_type is " + type.dump() + ", but this plugin supports only \"qwen2_5_vl\"");
  need(config.contains("vision_config") && config.at("vision_config").is_object(), where,
       "has no table 'vision_config'");
  const bool nested = config.contains("text_config") && config.at("text_config").is_object();
  const json& text = nested ? config.at("text_config") : config;
  VlConfig c;
  c.text = decoder::read_config(text_family, text, nested ? where + ": text_config" : where);
  c.text.tie_word_embeddings = config.value("tie_word_embeddings", false) || text.value("tie_word_embeddings", false);
  if (c.text.rope.sections.empty()) c.text.rope.sections = {16, 24, 24};
  need(c.text.rope.sections.size() == 3, where, "mrope_section must be three numbers: time, height, width");
  c.vision = read_vision(config.at("vision_config"), where + ": vision_config");
  need(c.vision.out_hidden_size == c.text.hidden_size, where,
       "out_hidden_size of vision_config must be the hidden_size of the text model");
  read(config, "image_token_id", 0, c.image_token, where);
  read(config, "video_token_id", 0, c.video_token, where);
  read(config, "vision_start_token_id", 0, c.vision_start_token, where);
  read(config, "vision_end_token_id", 0, c.vision_end_token, where);
  return c;
}

json write_config(const VlConfig& c, const json& read) {
  json config = decoder::write_config(c.text, -1);
  config["rope_scaling"] = {{"type", "mrope"}, {"mrope_section", c.text.rope.sections}};
  config["image_token_id"] = c.image_token;
  config["video_token_id"] = c.video_token;
  config["vision_start_token_id"] = c.vision_start_token;
  config["vision_end_token_id"] = c.vision_end_token;
  const Vision& v = c.vision;
  config["vision_config"] = {{"depth", v.depth},
                             {"hidden_act", "silu"},
                             {"hidden_size", v.hidden_size},
                             {"intermediate_size", v.intermediate_size},
                             {"num_heads", v.num_heads},
                             {"in_chans", v.in_channels},
                             {"out_hidden_size", v.out_hidden_size},
                             {"patch_size", v.patch_size},
                             {"spatial_merge_size", v.spatial_merge_size},
                             {"spatial_patch_size", v.patch_size},
                             {"window_size", v.window_size},
                             {"fullatt_block_indexes", v.full_attention},
                             {"tokens_per_second", v.tokens_per_second},
                             {"temporal_patch_size", v.temporal_patch_size}};
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    for (const json& table : {read, read.value("text_config", json::object())}) {
      if (table.contains(key)) config[key] = table.at(key);
    }
  }
  return config;
}

}  // namespace compeer::qwen2_5_vl
