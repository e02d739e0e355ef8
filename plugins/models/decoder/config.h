#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "config.h"

namespace compeer::decoder {

// Sizes of decoder-only language models (Llama, Mistral, Qwen) and their files config.json and generation_config.json
// in Hugging Face layout. Used by the model plugins to open, create and save models.

/// Rotary position embeddings (RoPE): base frequencies theta^(-2i/dim) and their scaling for longer contexts.
struct Rope {
  explicit Rope(double base = 10000.0) : theta(base) {}

  double theta;                  ///< rope_theta: base of the frequencies
  std::string type = "default";  ///< rope_type, the kind of scaling: "default" (none), "linear", "llama3" or "yarn"
  /// mrope_section, vision models only: how many frequencies use the position along time, height and width, in this
  /// order; empty: text models.
  std::vector<int64_t> sections;
  double factor = 1.0;                                   ///< context extension factor; not used by "default"
  int64_t original = 0;                                  ///< original_max_position_embeddings; llama3 and yarn only
  double low_freq_factor = 1.0, high_freq_factor = 4.0;  ///< llama3 only; as in config.json
  double beta_fast = 32.0, beta_slow = 1.0;              ///< yarn only; as in config.json
  double magnitude = 1.0;                                ///< yarn only: factor of cosines and sines
  bool truncate = true;                                  ///< yarn only: round the boundaries of the interpolation
};

/// Returns the dim / 2 frequencies in radians per position, computed in float32 in the same steps as Hugging Face
/// transformers. `dim`: the size of an attention head.
std::vector<float> frequencies(const Rope& rope, int64_t dim);

/// Returns yarn's factor of cosines and sines for a context extension by `factor`. `scale`: mscale of config.json.
double yarn_magnitude(double factor, double scale = 1.0);

/// Selection of a family's layers with sliding-window attention.
enum class SlidingWindow {
  never,     ///< none
  if_asked,  ///< if config.json sets use_sliding_window: the layers selected by layer_types or max_window_layers
  always     ///< all layers, unless config.json has no sliding_window
};

/// A family of decoders: their differences other than sizes.
struct Family {
  const char* model_type;                       ///< model_type in config.json, such as "qwen2"
  const char* architecture;                     ///< architectures in config.json, such as "Qwen2ForCausalLM"
  bool biases = false;                          ///< the q, k and v projections have biases
  bool head_norms = false;                      ///< RMS norm of each query and key head before the rotation
  SlidingWindow slides = SlidingWindow::never;  ///< layers with sliding-window attention
  bool has_vision = false;  ///< the model has a vision tower; its weights have names similar to the text model's
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
/// layout. `where`: the file or setting, for messages. Throws Error with the exit code `exit` (data by default: 4) if a
/// size is missing (suggesting a similar key), invalid or inconsistent, or for a feature that is not supported.
TextConfig read_config(const Family& family, const nlohmann::json& config, const std::string& where,
                       Exit exit = Exit::data);

/// Reads the config.json of a model folder as JSON. Throws Error (exit code 4: invalid data) if it can't be read.
nlohmann::json read_config_file(const std::filesystem::path& folder);

/// Returns the config.json of a new model, from which Hugging Face transformers can open it. Does not write windows by
/// layer or RoPE scaling. `end_token`: id of the token that ends an answer; -1: omitted.
nlohmann::json write_config(const TextConfig& config, int64_t end_token);

/// Reads the generation_config.json of a model folder; null if it has none. Throws Error (exit code 4) if it can't be
/// read.
nlohmann::json read_generation_config(const std::filesystem::path& folder);

/// Writes `generation`, the contents of generation_config.json or null, into `folder` with its end token replaced by
/// `end_token` (-1: unchanged). Writes nothing if `generation` is null and `end_token` is -1.
void save_generation_config(nlohmann::json generation, int64_t end_token, const std::filesystem::path& folder);

/// Writes config.json and generation_config.json into `folder`. `config` and `generation` (may be null): their contents
/// as read with the model. Only the type of the weights, `dtype` ("float32" or "bfloat16"), and the end token (unless
/// it is -1) are replaced.
void save_config(nlohmann::json config, nlohmann::json generation, const std::string& dtype, int64_t end_token,
                 const std::filesystem::path& folder);

}  // namespace compeer::decoder
