#include "config.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/files.h"
#include "base/json.h"

namespace compeer::qwen2 {

namespace {

using nlohmann::json;

constexpr int64_t largest_size = INT32_MAX, most_layers = 10'000;

// A table with a name to complain under.
struct ConfigReader {
  const json& table;
  const std::string& where;
  Exit exit;

  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const {
    throw Error(where, what, help, exit);
  }
  void need(bool good, const std::string& what) const {
    if (!good) refuse(what);
  }
  bool has(const char* key) const { return table.contains(key) && !table.at(key).is_null(); }

  [[noreturn]] void missing(const char* key) const {
    std::vector<std::string> present;
    for (const auto& [name, value] : table.items()) present.push_back(name);
    const auto near = nearest(key, present);
    refuse(std::string("lacks the whole number '") + key + "'",
           near.empty() ? "" : "is it called '" + near + "' here?");
  }

  int64_t size(const char* key, int64_t most = largest_size) const {
    if (!has(key)) missing(key);
    const json& value = table.at(key);
    need(value.is_number_integer(), std::string("'") + key + "' must be a whole number, not " + value.dump());
    const bool fits = value.is_number_unsigned() ? value.get<uint64_t>() <= static_cast<uint64_t>(most)
                                                 : value.get<int64_t>() <= most;
    need(fits && value.get<int64_t>() >= 1,
         std::string("'") + key + "' must be from 1 to " + std::to_string(most) + ", not " + value.dump());
    return value.get<int64_t>();
  }

  double positive(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    const json& value = table.at(key);
    need(value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0,
         std::string("'") + key + "' must be a number above 0, not " + value.dump());
    return value.get<double>();
  }

  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    need(table.at(key).is_boolean(), std::string("'") + key + "' must be true or false, not " + table.at(key).dump());
    return table.at(key).get<bool>();
  }

  std::string text(const char* key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    need(table.at(key).is_string(), std::string("'") + key + "' must be text, not " + table.at(key).dump());
    return table.at(key).get<std::string>();
  }
};

// {"type": "mrope", "mrope_section": [16, 24, 24]} or {"rope_type": "default", "rope_theta": 1e6}
void read_rope(const ConfigReader& rope, TextConfig& c) {
  const auto type = rope.text("rope_type", rope.text("type", "default"));
  rope.need(type == "default" || type == "mrope", "rotary positions of type '" + type + "' are not supported");
  c.rope_theta = rope.positive("rope_theta", c.rope_theta);
  if (!rope.has("mrope_section")) return;
  const json& sections = rope.table.at("mrope_section");
  rope.need(sections.is_array() && sections.size() <= 3, "'mrope_section' must be three numbers");
  for (const json& section : sections) {
    rope.need(section.is_number_unsigned() && section.get<uint64_t>() <= largest_size,
              "'mrope_section' must be three numbers");
    c.rope_sections.push_back(section.get<int64_t>());
  }
}

void read_sizes(const ConfigReader& reader, TextConfig& c) {
  c.vocab_size = reader.size("vocab_size");
  c.hidden_size = reader.size("hidden_size");
  c.num_hidden_layers = reader.size("num_hidden_layers", most_layers);
  c.num_attention_heads = reader.size("num_attention_heads");
  c.num_key_value_heads =
      reader.has("num_key_value_heads") ? reader.size("num_key_value_heads") : c.num_attention_heads;
  c.intermediate_size = reader.size("intermediate_size");
  if (reader.has("max_position_embeddings")) c.max_position_embeddings = reader.size("max_position_embeddings");
  reader.need(reader.has("head_dim") || c.hidden_size % c.num_attention_heads == 0,
              "hidden_size " + std::to_string(c.hidden_size) + " must be a multiple of num_attention_heads " +
                  std::to_string(c.num_attention_heads));
  c.head_dim = reader.has("head_dim") ? reader.size("head_dim") : c.hidden_size / c.num_attention_heads;
  reader.need(c.num_attention_heads % c.num_key_value_heads == 0,
              "num_attention_heads " + std::to_string(c.num_attention_heads) +
                  " must be a multiple of num_key_value_heads " + std::to_string(c.num_key_value_heads));
  reader.need(c.head_dim % 2 == 0, "the size of a head, " + std::to_string(c.head_dim) + ", must be even");
}

bool slides(const ConfigReader& reader) {
  if (reader.flag("use_sliding_window", false)) return true;
  if (!reader.has("layer_types") || !reader.table.at("layer_types").is_array()) return false;
  const json& types = reader.table.at("layer_types");
  return std::any_of(types.begin(), types.end(), [](const json& type) { return type != "full_attention"; });
}

}  // namespace

TextConfig read_config(const json& config, const std::string& where, Exit exit) {
  const ConfigReader reader{config, where, exit};
  reader.need(config.is_object(), "is no JSON object");
  reader.need(reader.text("hidden_act", "silu") == "silu", "hidden_act must be 'silu'");
  reader.need(!slides(reader), "attention with a sliding window is not supported");
  TextConfig c;
  read_sizes(reader, c);
  c.rms_norm_eps = reader.positive("rms_norm_eps", c.rms_norm_eps);
  c.tie_word_embeddings = reader.flag("tie_word_embeddings", false);
  c.rope_theta = reader.positive("rope_theta", c.rope_theta);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (reader.has(key)) {
      reader.need(config.at(key).is_object(), std::string("'") + key + "' must be a table");
      c.rope_sections.clear();
      read_rope({config.at(key), where, exit}, c);
    }
  }
  const int64_t covered = std::accumulate(c.rope_sections.begin(), c.rope_sections.end(), int64_t{0});
  reader.need(c.rope_sections.empty() || covered == c.head_dim / 2, "mrope_section must add up to half a head");
  return c;
}

json read_config_file(const std::filesystem::path& folder) {
  const auto file = folder / "config.json";
  return read_json_object(file);
}

json write_config(const TextConfig& c, int64_t end_token) {
  json config = {{"architectures", {"Qwen2ForCausalLM"}},
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
                 {"torch_dtype", "float32"}};
  if (end_token >= 0) config["eos_token_id"] = end_token;
  return config;
}

json read_generation_config(const std::filesystem::path& folder) {
  const auto file = folder / "generation_config.json";
  if (!std::filesystem::exists(file)) return nullptr;
  return read_json_object(file);
}

void save_config(json config, json generation, const std::string& dtype, int64_t end_token,
                 const std::filesystem::path& folder) {
  config[config.contains("dtype") ? "dtype" : "torch_dtype"] = dtype;
  if (end_token >= 0) {
    config["eos_token_id"] = end_token;
    generation["eos_token_id"] = end_token;
  }
  write_file(folder / "config.json", config.dump(2) + "\n");
  if (!generation.is_null()) write_file(folder / "generation_config.json", generation.dump(2) + "\n");
}

}  // namespace compeer::qwen2
