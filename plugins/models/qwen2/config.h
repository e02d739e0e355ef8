#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::qwen2 {

/// The sizes of a Qwen2, Qwen2.5 or Qwen2.5-VL text stack, as in config.json.
struct Config {
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0, num_key_value_heads = 0;
  int64_t intermediate_size = 0, max_position_embeddings = 1024, head_dim = 0;
  double rope_theta = 10000.0, rms_norm_eps = 1e-6;
  std::vector<int64_t> rope_sections;  ///< of a model that sees pictures: frequencies for time, height and width
  bool tie_word_embeddings = true;
};

/// From config.json, or its table text_config, in the older (rope_theta, rope_scaling) or newer (rope_parameters)
/// layout. Throws std::runtime_error that
/// begins with `where` if a size is missing, does not fit the others, or asks for what this plugin does not do.
Config read_config(const nlohmann::json& config, const std::string& where);

/// What transformers needs to open the saved model.
nlohmann::json write_config(const Config& config, int64_t end_token);

}  // namespace compeer::qwen2
