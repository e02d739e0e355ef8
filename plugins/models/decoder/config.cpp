// config.json and generation_config.json of decoders, and RoPE frequencies.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/files.h"
#include "base/json.h"
#include "config.h"

namespace compeer::decoder {

namespace {

// Divides low frequencies by the factor, keeps high ones, and interpolates between the two boundaries.
float llama3(float frequency, const Rope& rope) {
  const auto factor = static_cast<float>(rope.factor), original = static_cast<float>(rope.original),
             low = static_cast<float>(rope.low_freq_factor), high = static_cast<float>(rope.high_freq_factor);
  const float wave = 2 * std::numbers::pi_v<float> / frequency;
  if (wave > original / low) return frequency / factor;
  if (wave < original / high) return frequency;
  const float share = (original / wave - low) / (high - low);
  return (1 - share) * frequency / factor + share * frequency;
}

// Returns the (fractional) index of the pair that makes `turns` rotations within the original context.
double pair_of(double turns, const Rope& rope, int64_t dim) {
  return static_cast<double>(dim) * std::log(static_cast<double>(rope.original) / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(rope.theta));
}

// Keeps frequencies below the first boundary, divides those above the second, and interpolates between them. `powers`:
// inverse frequencies.
std::vector<float> yarn(const std::vector<float>& powers, const Rope& rope, int64_t dim) {
  double low = pair_of(rope.beta_fast, rope, dim), high = pair_of(rope.beta_slow, rope, dim);
  if (rope.truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, static_cast<double>(dim - 1));
  if (low == high) high += 0.001;
  std::vector<float> all;
  for (size_t i = 0; i < powers.size(); ++i) {
    const float along = (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1 - std::clamp(along, 0.0f, 1.0f);
    all.push_back(1 / (static_cast<float>(rope.factor) * powers[i]) * (1 - kept) + 1 / powers[i] * kept);
  }
  return all;
}

using nlohmann::json;

constexpr int64_t largest_size = INT32_MAX, most_layers = 10'000;

// Access to a JSON table with error messages for `where`.
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
    refuse(std::string("has no whole number '") + key + "'", near.empty() ? "" : "did you mean '" + near + "'?");
  }

  int64_t size(const char* key, int64_t most = largest_size, int64_t least = 1) const {
    if (!has(key)) missing(key);
    const json& value = table.at(key);
    need(value.is_number_integer(), std::string("'") + key + "' must be a whole number, not " + value.dump());
    const bool fits = value.is_number_unsigned() ? value.get<uint64_t>() <= static_cast<uint64_t>(most)
                                                 : value.get<int64_t>() <= most;
    need(fits && value.get<int64_t>() >= least, std::string("'") + key + "' must be from " + std::to_string(least) +
                                                    " to " + std::to_string(most) + ", not " + value.dump());
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

void read_sections(const ConfigReader& rope, Rope& into) {
  if (!rope.has("mrope_section")) return;
  const json& sections = rope.table.at("mrope_section");
  rope.need(sections.is_array() && sections.size() <= 3, "'mrope_section' must be three numbers");
  for (const json& section : sections) {
    rope.need(section.is_number_unsigned() && section.get<uint64_t>() <= largest_size,
              "'mrope_section' must be three numbers");
    into.sections.push_back(section.get<int64_t>());
  }
}

void read_yarn(const ConfigReader& rope, Rope& into) {
  into.beta_fast = rope.positive("beta_fast", into.beta_fast);
  into.beta_slow = rope.positive("beta_slow", into.beta_slow);
  into.truncate = rope.flag("truncate", into.truncate);
  const double over = rope.positive("mscale", 0), under = rope.positive("mscale_all_dim", 0);
  into.magnitude = over > 0 && under > 0 ? yarn_magnitude(into.factor, over) / yarn_magnitude(into.factor, under)
                                         : yarn_magnitude(into.factor);
  into.magnitude = rope.positive("attention_factor", into.magnitude);
}

// Examples: {"type": "mrope", "mrope_section": [16, 24, 24]}, {"rope_type": "default", "rope_theta": 1e6},
// {"rope_type": "llama3", "factor": 8.0, ...}
void read_rope(const ConfigReader& rope, TextConfig& c) {
  Rope& into = c.rope;
  into.sections.clear();
  into.type = rope.text("rope_type", rope.text("type", "default"));
  if (into.type == "mrope") into.type = "default";
  if (!(into.type == "default" || into.type == "linear" || into.type == "llama3" || into.type == "yarn"))
    rope.refuse("rotary positions of type '" + into.type + "' are not supported",
                "known: default, linear, llama3, yarn");
  into.theta = rope.positive("rope_theta", into.theta);
  read_sections(rope, into);
  if (into.type == "default") return;
  if (into.type == "llama3" || into.type == "yarn") into.original = rope.size("original_max_position_embeddings");
  rope.need(rope.has("factor") || (into.type == "yarn" && into.original > 0),
            "'factor' is missing: the ratio of the context length to that of pretraining");
  into.factor = rope.positive("factor", static_cast<double>(c.max_position_embeddings) /
                                            static_cast<double>(std::max<int64_t>(into.original, 1)));
  if (into.type == "yarn") read_yarn(rope, into);
  if (into.type != "llama3") return;
  into.low_freq_factor = rope.positive("low_freq_factor", into.low_freq_factor);
  into.high_freq_factor = rope.positive("high_freq_factor", into.high_freq_factor);
  rope.need(into.low_freq_factor < into.high_freq_factor, "'low_freq_factor' must be below 'high_freq_factor'");
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
  const bool divided = !reader.has("head_dim") && c.family.head_dim == 0;
  reader.need(!divided || c.hidden_size % c.num_attention_heads == 0,
              "hidden_size " + std::to_string(c.hidden_size) + " must be a multiple of num_attention_heads " +
                  std::to_string(c.num_attention_heads));
  c.head_dim = reader.has("head_dim") ? reader.size("head_dim")
               : divided              ? c.hidden_size / c.num_attention_heads
                                      : c.family.head_dim;
  reader.need(c.num_attention_heads % c.num_key_value_heads == 0,
              "num_attention_heads " + std::to_string(c.num_attention_heads) +
                  " must be a multiple of num_key_value_heads " + std::to_string(c.num_key_value_heads));
  reader.need(c.head_dim % 2 == 0, "the size of a head, " + std::to_string(c.head_dim) + ", must be even");
}

void read_windows(const ConfigReader& reader, TextConfig& c) {
  const bool always = c.family.slides == SlidingWindow::always;
  const bool asked = c.family.slides == SlidingWindow::if_asked && reader.flag("use_sliding_window", false);
  if ((!always && !asked) || !reader.has("sliding_window")) return;
  c.windows.assign(static_cast<size_t>(c.num_hidden_layers), reader.size("sliding_window"));
  if (always) return;
  if (!reader.has("layer_types")) {
    const int64_t full = reader.has("max_window_layers") ? reader.size("max_window_layers", most_layers, 0) : 0;
    std::fill_n(c.windows.begin(), std::min(full, c.num_hidden_layers), 0);
    return;
  }
  const json& types = reader.table.at("layer_types");
  reader.need(types.is_array() && types.size() == c.windows.size(), "'layer_types' must name every layer's attention");
  for (size_t i = 0; i < types.size(); ++i) {
    reader.need(types[i] == "full_attention" || types[i] == "sliding_attention",
                "attention of type " + types[i].dump() + " is not supported");
    if (types[i] == "full_attention") c.windows[i] = 0;
  }
}

// Refuses variants of the families that are not supported.
void refuse_variations(const ConfigReader& reader) {
  reader.need(reader.text("hidden_act", "silu") == "silu", "hidden_act must be 'silu'");
  for (const char* key : {"attention_bias", "mlp_bias"})
    reader.need(!reader.flag(key, false), std::string("'") + key + "' true is not supported");
  reader.need(reader.positive("partial_rotary_factor", 1.0) == 1.0, "'partial_rotary_factor' must be 1");
}

}  // namespace

double yarn_magnitude(double factor, double scale) { return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0; }

std::vector<float> frequencies(const Rope& rope, int64_t dim) {
  std::vector<float> powers, all;
  for (int64_t i = 0; i < dim; i += 2)
    powers.push_back(std::pow(static_cast<float>(rope.theta), static_cast<float>(i) / static_cast<float>(dim)));
  if (rope.type == "yarn") return yarn(powers, rope, dim);
  for (const float power : powers) {
    const float frequency = 1 / power;
    all.push_back(rope.type == "linear"   ? frequency / static_cast<float>(rope.factor)
                  : rope.type == "llama3" ? llama3(frequency, rope)
                                          : frequency);
  }
  return all;
}

TextConfig read_config(const Family& family, const json& config, const std::string& where, Exit exit) {
  const ConfigReader reader{config, where, exit};
  reader.need(config.is_object(), "is not a JSON object");
  refuse_variations(reader);
  TextConfig c;
  c.family = family;
  read_sizes(reader, c);
  read_windows(reader, c);
  c.rms_norm_eps = reader.positive("rms_norm_eps", c.rms_norm_eps);
  c.tie_word_embeddings = reader.flag("tie_word_embeddings", false);
  c.rope.theta = reader.positive("rope_theta", c.rope.theta);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (reader.has(key)) {
      reader.need(config.at(key).is_object(), std::string("'") + key + "' must be a table");
      read_rope({config.at(key), where, exit}, c);
    }
  }
  const int64_t covered = std::accumulate(c.rope.sections.begin(), c.rope.sections.end(), int64_t{0});
  reader.need(c.rope.sections.empty() || covered == c.head_dim / 2, "mrope_section must add up to half a head");
  return c;
}

json read_config_file(const std::filesystem::path& folder) {
  const auto file = folder / "config.json";
  return read_json_object(file);
}

json write_config(const TextConfig& c, int64_t end_token) {
  json config = {{"architectures", {c.family.architecture}},
                 {"model_type", c.family.model_type},
                 {"vocab_size", c.vocab_size},
                 {"hidden_size", c.hidden_size},
                 {"num_hidden_layers", c.num_hidden_layers},
                 {"num_attention_heads", c.num_attention_heads},
                 {"num_key_value_heads", c.num_key_value_heads},
                 {"head_dim", c.head_dim},
                 {"intermediate_size", c.intermediate_size},
                 {"max_position_embeddings", c.max_position_embeddings},
                 {"rope_theta", c.rope.theta},
                 {"rms_norm_eps", c.rms_norm_eps},
                 {"tie_word_embeddings", c.tie_word_embeddings},
                 {"hidden_act", "silu"},
                 {"attention_dropout", 0.0},
                 {"torch_dtype", "float32"}};
  if (c.family.slides == SlidingWindow::if_asked) config["use_sliding_window"] = false;
  if (c.family.slides == SlidingWindow::always)
    config["sliding_window"] = c.windows.empty() ? json() : json(c.windows[0]);
  if (end_token >= 0) config["eos_token_id"] = end_token;
  return config;
}

json read_generation_config(const std::filesystem::path& folder) {
  const auto file = folder / "generation_config.json";
  if (!std::filesystem::exists(file)) return nullptr;
  return read_json_object(file);
}

void save_generation_config(json generation, int64_t end_token, const std::filesystem::path& folder) {
  if (end_token >= 0) generation["eos_token_id"] = end_token;
  if (!generation.is_null()) write_file(folder / "generation_config.json", generation.dump(2) + "\n");
}

void save_config(json config, json generation, const std::string& dtype, int64_t end_token,
                 const std::filesystem::path& folder) {
  config[config.contains("dtype") ? "dtype" : "torch_dtype"] = dtype;
  if (end_token >= 0) config["eos_token_id"] = end_token;
  write_file(folder / "config.json", config.dump(2) + "\n");
  save_generation_config(std::move(generation), end_token, folder);
}

}  // namespace compeer::decoder
