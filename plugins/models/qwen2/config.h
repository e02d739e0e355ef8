#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace compeer::qwen2 {

/// The sizes of a Qwen2, Qwen2.5 or Qwen2.5-VL text stack, as in config.json.
struct TextConfig {
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0, num_key_value_heads = 0;
  int64_t intermediate_size = 0, max_position_embeddings = 1024, head_dim = 0;
  double rope_theta = 10000.0, rms_norm_eps = 1e-6;
  std::vector<int64_t> rope_sections;  ///< of a model that sees pictures: frequencies for time, height and width
  bool tie_word_embeddings = true;
};

/// From config.json, or its table text_config, in the older (rope_theta, rope_scaling) or newer (rope_parameters)
/// layout. Throws Error at `where` if a size is missing (naming the key that was perhaps meant), is no size, does not
/// fit the others, or asks for what this library does not do.
TextConfig read_config(const nlohmann::json& config, const std::string& where, Exit exit = Exit::data);

/// A folder's config.json as it stands. Throws Error (exit 4) if it can't be read.
nlohmann::json read_config_file(const std::filesystem::path& folder);

/// What transformers needs to open the saved model. `end_token` -1: none is written.
nlohmann::json write_config(const TextConfig& config, int64_t end_token);

/// A folder's generation_config.json, or null if it has none that can be read.
nlohmann::json read_generation_config(const std::filesystem::path& folder);

/// Writes config.json and generation_config.json of a model: what they said when it was loaded (`config`, and
/// `generation` or null), but for the type of the weights, "float32" or "bfloat16", and the end token, unless it is -1.
void save_config(nlohmann::json config, nlohmann::json generation, const std::string& dtype, int64_t end_token,
                 const std::filesystem::path& folder);

}  // namespace compeer::qwen2
