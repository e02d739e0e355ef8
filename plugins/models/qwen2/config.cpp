#include "config.h"

#include <numeric>
#include <stdexcept>

namespace compeer::qwen2 {

namespace {

using nlohmann::json;

void need(bool good, const std::string& where, const std::string& what) {
  if (!good) throw std::runtime_error(where + ": " + what);
}

int64_t size(const json& config, const char* key, const std::string& where) {
  need(config.contains(key) && config.at(key).is_number_integer(), where,
       std::string("needs the whole number '") + key + "'");
  const auto value = config.at(key).get<int64_t>();
  need(value >= 1, where, std::string("'") + key + "' must be at least 1");
  return value;
}

// {"type": "mrope", "mrope_section": [16, 24, 24]} or {"rope_type": "default", "rope_theta": 1e6}
void read_rope(const json& rope, const std::string& where, Config& c) {
  const std::string type = rope.value("rope_type", rope.value("type", "default"));
  need(type == "default" || type == "mrope", where, "rotary positions of type '" + type + "' are not supported");
  c.rope_theta = rope.value("rope_theta", c.rope_theta);
  if (rope.contains("mrope_section")) c.rope_sections = rope.at("mrope_section").get<std::vector<int64_t>>();
}

}  // namespace

Config read_config(const json& config, const std::string& where) {
  need(config.value("hidden_act", "silu") == "silu", where, "hidden_act must be 'silu'");
  need(!config.value("use_sliding_window", false), where, "use_sliding_window is not supported");
  Config c;
  c.vocab_size = size(config, "vocab_size", where);
  c.hidden_size = size(config, "hidden_size", where);
  c.num_hidden_layers = size(config, "num_hidden_layers", where);
  c.num_attention_heads = size(config, "num_attention_heads", where);
  c.num_key_value_heads =
      config.contains("num_key_value_heads") ? size(config, "num_key_value_heads", where) : c.num_attention_heads;
  c.intermediate_size = size(config, "intermediate_size", where);
  c.max_position_embeddings = config.value("max_position_embeddings", c.max_position_embeddings);
  c.rms_norm_eps = config.value("rms_norm_eps", c.rms_norm_eps);
  c.tie_word_embeddings = config.value("tie_word_embeddings", false);
  c.rope_theta = config.value("rope_theta", c.rope_theta);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (config.contains(key) && config.at(key).is_object()) read_rope(config.at(key), where, c);
  }
  need(config.contains("head_dim") || c.hidden_size % c.num_attention_heads == 0, where,
       "hidden_size must be a multiple of num_attention_heads");
  c.head_dim = config.contains("head_dim") && !config.at("head_dim").is_null() ? size(config, "head_dim", where)
                                                                               : c.hidden_size / c.num_attention_heads;
  need(c.num_attention_heads % c.num_key_value_heads == 0, where,
       "num_attention_heads must be a multiple of num_key_value_heads");
  need(c.head_dim % 2 == 0, where, "the size of a head must be even");
  const int64_t covered = std::accumulate(c.rope_sections.begin(), c.rope_sections.end(), int64_t{0});
  need(c.rope_sections.empty() || covered == c.head_dim / 2, where, "mrope_section must add up to half a head");
  return c;
}

json write_config(const Config& c, int64_t end_token) {
  return {{"architectures", {"Qwen2ForCausalLM"}},
          {"model_type", "qwen2"},
          {"vocab_size", c.vocab_size},
          {"hidden_size", c.hidden_size},
          {"num_hidden_layers", c.num_hidden_layers},
          {"num_attention_heads", c.num_attention_heads},
          {"num_key_value_heads", c.num_key_value_heads},
          {"head_dim", c.head_dim},
          {"intermediate_size", c.intermediate_size},
          {"max_position_embeddings", c.max_position_embeddings},
          {"rope_theta", c.rope_theta},
          {"rms_norm_eps", c.rms_norm_eps},
          {"tie_word_embeddings", c.tie_word_embeddings},
          {"hidden_act", "silu"},
          {"attention_dropout", 0.0},
          {"use_sliding_window", false},
          {"torch_dtype", "float32"},
          {"eos_token_id", end_token}};
}

}  // namespace compeer::qwen2
