#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "config.h"

namespace compeer::decoder {

/// Rotary position embeddings (RoPE): base frequencies theta^(-2i/dim) and their scaling for longer contexts. Field
/// names are those of config.json.
struct Rope {
  explicit Rope(double base = 10000.0) : theta(base) {}

  double theta;
  std::string type = "default";  ///< or "linear", "llama3", "yarn"
  /// `mrope_section`, vision models only: numbers of frequencies for time, height and width.
  std::vector<int64_t> sections;
  double factor = 1.0;                                   ///< context extension factor; not used by "default"
  int64_t original = 0;                                  ///< original_max_position_embeddings; llama3 and yarn
  double low_freq_factor = 1.0, high_freq_factor = 4.0;  ///< llama3
  double beta_fast = 32.0, beta_slow = 1.0;              ///< yarn
  double magnitude = 1.0;                                ///< yarn: factor of cosines and sines
  bool truncate = true;                                  ///< yarn: round the boundaries to whole numbers
};

/// Returns the dim / 2 frequencies in radians per position, computed in float32 in the same steps as transformers.
std::vector<float> frequencies(const Rope& rope, int64_t dim);

/// Returns yarn's factor of cosines and sines for a context extension by `factor`.
double yarn_magnitude(double factor, double scale = 1.0);

/// Selection of the layers with sliding-window attention.
enum class SlidingWindow {
  never,
  if_asked,  ///< with use_sliding_window, the layers selected by layer_types or max_window_layers
  always     ///< all layers, unless sliding_window is null
};

/// The differences between decoder families, other than sizes. `model_type` and `architecture` as in config.json.
struct Family {
  const char* model_type;
  const char* architecture;
  bool biases = false;      ///< the q, k and v projections have biases
  bool head_norms = false;  ///< RMS norm of each query and key head before the rotation
  SlidingWindow slides = SlidingWindow::never;
  bool has_vision = false;  ///< there is a vision tower, whose weights have names similar to the text model's
  int64_t head_dim = 0;     ///< default if config.json has none; 0: hidden_size / num_attention_heads
};

/// The sizes of a decoder, named as in config.json.
struct TextConfig {
  Family family{};
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0, num_key_value_heads = 0;
  int64_t intermediate_size = 0, max_position_embeddings = 1024, head_dim = 0;
  double rms_norm_eps = 1e-6;
  Rope rope;
  std::vector<int64_t> windows;  ///< attention window of each layer in positions, 0: unlimited; empty: all unlimited
  bool tie_word_embeddings = true;

  /// Returns the attention window of a layer; 0: unlimited.
  int64_t window(int64_t layer) const { return windows.empty() ? 0 : windows[static_cast<size_t>(layer)]; }
};

/// Parses config.json, or its table text_config, in the older (rope_theta, rope_scaling) or newer (rope_parameters)
/// layout. Throws Error at `where` if a size is missing (suggesting a similar key), invalid or inconsistent, or for a
/// feature that is not supported.
TextConfig read_config(const Family& family, const nlohmann::json& config, const std::string& where,
                       Exit exit = Exit::data);

/// Reads a folder's config.json. Throws Error (exit 4) if it can't be read.
nlohmann::json read_config_file(const std::filesystem::path& folder);

/// Returns a config.json with which transformers can open the saved model. Does not write windows by layer or RoPE
/// scaling. `end_token` -1: omitted.
nlohmann::json write_config(const TextConfig& config, int64_t end_token);

/// Reads a folder's generation_config.json; null if there is none. Throws Error (exit 4) if it can't be read.
nlohmann::json read_generation_config(const std::filesystem::path& folder);

/// Writes generation_config.json with the end token. Writes nothing if `generation` is null and `end_token` is -1.
void save_generation_config(nlohmann::json generation, int64_t end_token, const std::filesystem::path& folder);

/// Writes config.json and generation_config.json. `config` and `generation` (or null) are those read with the model;
/// only the weight type `dtype` ("float32" or "bfloat16") and the end token (unless it is -1) are changed.
void save_config(nlohmann::json config, nlohmann::json generation, const std::string& dtype, int64_t end_token,
                 const std::filesystem::path& folder);

}  // namespace compeer::decoder
