#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "config.h"

namespace compeer::decoder {

/// How positions become angles: base frequencies theta^(-2i/dim), and how they were stretched for longer contexts
/// than those a model first learned. Keys are config.json's.
struct Rope {
  explicit Rope(double base = 10000.0) : theta(base) {}

  double theta;
  std::string type = "default";   ///< or linear, llama3, yarn
  std::vector<int64_t> sections;  ///< of a model that sees pictures: frequencies for time, height and width
  double factor = 1.0;            ///< all but default
  int64_t original = 0;           ///< original_max_position_embeddings: llama3 and yarn
  double low_freq_factor = 1.0, high_freq_factor = 4.0;  ///< llama3
  double beta_fast = 32.0, beta_slow = 1.0;              ///< yarn
  double magnitude = 1.0;                                ///< yarn: factor of cosines and sines
  bool truncate = true;                                  ///< yarn: its borders are whole numbers
};

/// Angle per position of each of the dim / 2 pairs, in float32 steps as transformers takes them.
std::vector<float> frequencies(const Rope& rope, int64_t dim);

/// yarn's factor of cosines and sines for contexts that are `factor` times as long.
double yarn_magnitude(double factor, double scale = 1.0);

/// Which layers see a window of the past only.
enum class Slides {
  never,
  if_asked,  ///< with use_sliding_window, those that layer_types or max_window_layers name
  always     ///< all, unless sliding_window is null
};

/// What families of decoders differ in, beside their sizes. `model_type` and `architecture` are config.json's.
struct Family {
  const char* model_type;
  const char* architecture;
  bool biases = false;      ///< q, k and v have biases
  bool head_norms = false;  ///< queries and keys are normed head by head before they are turned
  Slides slides = Slides::never;
  bool sees = false;     ///< beside it there is a tower, whose matrices have names like its own
  int64_t head_dim = 0;  ///< where config.json has none; 0: hidden_size / num_attention_heads
};

/// The sizes of a decoder, as in config.json.
struct TextConfig {
  Family family{};
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0, num_key_value_heads = 0;
  int64_t intermediate_size = 0, max_position_embeddings = 1024, head_dim = 0;
  double rms_norm_eps = 1e-6;
  Rope rope;
  std::vector<int64_t> windows;  ///< of each layer: how many positions a token sees, 0 all; empty: all layers see all
  bool tie_word_embeddings = true;

  int64_t window(int64_t layer) const { return windows.empty() ? 0 : windows[static_cast<size_t>(layer)]; }
};

/// From config.json, or its table text_config, in the older (rope_theta, rope_scaling) or newer (rope_parameters)
/// layout. Throws Error at `where` if a size is missing (naming the key that was perhaps meant), is no size, does not
/// fit the others, or asks for what this library does not do.
TextConfig read_config(const Family& family, const nlohmann::json& config, const std::string& where,
                       Exit exit = Exit::data);

/// A folder's config.json as it stands. Throws Error (exit 4) if it can't be read.
nlohmann::json read_config_file(const std::filesystem::path& folder);

/// What transformers needs to open the saved model, for full attention and rotary positions as they are. `end_token`
/// -1: none is written.
nlohmann::json write_config(const TextConfig& config, int64_t end_token);

/// A folder's generation_config.json, or null if it has none that can be read.
nlohmann::json read_generation_config(const std::filesystem::path& folder);

/// Writes generation_config.json with the end token, unless it is -1 and nothing else is known.
void save_generation_config(nlohmann::json generation, int64_t end_token, const std::filesystem::path& folder);

/// Writes config.json and generation_config.json of a model: what they said when it was loaded (`config`, and
/// `generation` or null), but for the type of the weights, "float32" or "bfloat16", and the end token, unless it is -1.
void save_config(nlohmann::json config, nlohmann::json generation, const std::string& dtype, int64_t end_token,
                 const std::filesystem::path& folder);

}  // namespace compeer::decoder
