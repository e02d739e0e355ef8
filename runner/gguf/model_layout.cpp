// Maps metadata to config.json and tensors to their Hugging Face names. Refuses models with features that config.json
// or the trainer do not support, instead of importing them wrongly.
#include "gguf/model_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "gguf/cursor.h"
#include "gguf/rope_factors.h"

namespace compeer::gguf {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t largest_size = INT32_MAX;

struct Architecture {
  const char* name;             // metadata general.architecture
  const char* model_type;       // as in config.json
  const char* of_transformers;  // class name in the library transformers
  bool permuted = false;        // rows of query and key projections are interleaved (source_row)
  bool biases = false;          // query, key and value projections have a bias
  bool head_norms = false;      // queries and keys are normalized per head
};

constexpr Architecture architectures[] = {
    {.name = "llama", .model_type = "llama", .of_transformers = "LlamaForCausalLM", .permuted = true},
    {.name = "mistral", .model_type = "mistral", .of_transformers = "MistralForCausalLM", .permuted = true},
    {.name = "qwen2", .model_type = "qwen2", .of_transformers = "Qwen2ForCausalLM", .biases = true},
    {.name = "qwen3", .model_type = "qwen3", .of_transformers = "Qwen3ForCausalLM", .head_norms = true},
};
constexpr const Architecture& mistral = architectures[1];

struct ModelSizes {
  int64_t hidden, layers, heads, key_value_heads, head_dim, intermediate, vocabulary;
};

const Architecture& architecture_of(const MetadataReader& metadata) {
  const auto name = metadata.text("general.architecture");
  std::vector<std::string> known;
  for (const Architecture& one : architectures) {
    if (name == one.name) return one;
    known.emplace_back(one.name);
  }
  metadata.refuse("is of the architecture '" + sanitized(name) + "', which is not supported",
                  fmt::format("known: {}", fmt::join(known, ", ")));
}

// Throws Error for metadata of unsupported variants of these architectures, unless the value means "not used".
void refuse_variations(const MetadataReader& metadata, const std::string& prefix) {
  const auto want = [&](const std::string& name, const nlohmann::json& none) {
    const std::string key = prefix + name;
    if (metadata.has(key) && metadata.value(key) != none)
      metadata.refuse(
          fmt::format("metadata '{}' is {}, which is not supported", key, sanitized(metadata.value(key).dump())));
  };
  for (const char* name : {"expert_count", "expert_used_count", "attention.clamp_kqv", "attention.max_alibi_bias",
                           "attention.output_scale", "attn_logit_softcapping", "final_logit_softcapping", "logit_scale",
                           "residual_scale", "embedding_scale", "pooling_type"})
    want(name, 0);
  want("attention.causal", true);
  want("use_parallel_residual", false);
  if (metadata.has("split.count") && metadata.whole("split.count", 0, INT64_MAX) > 1)
    metadata.refuse(fmt::format("is one of {} parts of a model", metadata.value("split.count").dump()),
                    "join them first: llama-gguf-split --merge");
}

// Returns the size of an attention head. Throws Error for unsupported head sizes, partial RoPE and attention scales.
int64_t head_dim_of(const MetadataReader& metadata, const std::string& prefix, int64_t hidden, int64_t heads) {
  const auto size = [&](const char* name, int64_t otherwise) {
    return metadata.whole(prefix + name, 1, largest_size, otherwise);
  };
  const int64_t turned = size("rope.dimension_count", 0), keys = size("attention.key_length", 0);
  if (keys == 0 && turned == 0 && hidden % heads != 0)
    metadata.refuse(fmt::format("has {} heads, but the embedding size {} is not a multiple of this", heads, hidden),
                    "metadata '" + prefix + "attention.key_length' must give the size of a head");
  const int64_t dim = keys ? keys : turned ? turned : hidden / heads;
  if (turned != 0 && turned != dim)
    metadata.refuse(fmt::format("applies rotary embeddings to {} of the {} elements of a head, which is not supported",
                                turned, dim));
  if (size("attention.value_length", dim) != dim)
    metadata.refuse(fmt::format("has values of another size than its keys, {}, which is not supported", dim));
  if (dim % 2 != 0) metadata.refuse(fmt::format("has heads of {} elements, an odd number", dim));
  const double scale = metadata.positive(prefix + "attention.scale", 1 / std::sqrt(static_cast<double>(dim)));
  if (std::abs(scale * std::sqrt(static_cast<double>(dim)) - 1) > 1e-6)
    metadata.refuse(
        fmt::format("metadata '{}attention.scale' is not 1 / sqrt({}), which is not supported", prefix, dim));
  return dim;
}

ModelSizes sizes_of(const GgufFile& file, const MetadataReader& metadata, const std::string& prefix) {
  const auto size = [&](const char* name) { return metadata.whole(prefix + name, 1, largest_size); };
  ModelSizes s{};
  s.hidden = size("embedding_length");
  s.layers = size("block_count");
  s.heads = size("attention.head_count");
  s.key_value_heads = metadata.whole(prefix + "attention.head_count_kv", 1, largest_size, s.heads);
  s.intermediate = size("feed_forward_length");
  if (s.heads % s.key_value_heads != 0)
    metadata.refuse(fmt::format("has {} heads, which is not a multiple of its {} heads of keys and values", s.heads,
                                s.key_value_heads));
  s.head_dim = head_dim_of(metadata, prefix, s.hidden, s.heads);
  if (static_cast<uint64_t>(s.layers) > file.tensors().size())
    metadata.refuse(fmt::format("has {} layers, but only {} tensors", s.layers, file.tensors().size()));
  const auto* embedding = file.find("token_embd.weight");
  if (!embedding || embedding->shape.size() != 2)
    metadata.refuse(embedding ? "tensor 'token_embd.weight' is not a matrix" : "lacks the tensor 'token_embd.weight'");
  s.vocabulary = embedding->shape[0];
  if (s.vocabulary > largest_size) metadata.refuse(fmt::format("has {} tokens", s.vocabulary));
  return s;
}

// Looks up tensors by name and collects all problems, so that they are reported together.
class TensorLookup {
 public:
  explicit TensorLookup(const GgufFile& file) : file_(file) {}

  void add(const std::string& stored, const std::string& name, std::vector<int64_t> shape, int64_t permuted_heads = 0) {
    known_.insert(stored);
    const auto* tensor = file_.find(stored);
    if (!tensor) {
      wrong_ += fmt::format("\n  missing {} [{}]", stored, fmt::join(shape, ", "));
    } else if (tensor->shape != shape) {
      wrong_ +=
          fmt::format("\n  {} is [{}], should be [{}]", stored, fmt::join(tensor->shape, ", "), fmt::join(shape, ", "));
    } else {
      places_.push_back({name, tensor, permuted_heads});
    }
  }
  // Accepts a tensor that is not part of the model's tensors.
  void ignore(const std::string& stored) { known_.insert(stored); }

  // Returns the tensors. Throws Error for problems found, and for tensors of the file that were not looked up.
  std::vector<TensorPlace> places() && {
    for (const GgufTensor& tensor : file_.tensors()) {
      if (!known_.contains(tensor.name)) wrong_ += "\n  not expected " + sanitized(tensor.name);
    }
    if (wrong_.empty()) return std::move(places_);
    if (wrong_.size() > 2000) wrong_ = wrong_.substr(0, wrong_.find('\n', 2000)) + "\n  ...";
    throw Error(file_.where(), "the tensors do not match its metadata:" + wrong_, "", Exit::data);
  }

 private:
  const GgufFile& file_;
  std::set<std::string> known_;
  std::string wrong_;
  std::vector<TensorPlace> places_;
};

void add_layer(const Architecture& kind, const ModelSizes& s, int64_t number, TensorLookup& all) {
  const auto from = fmt::format("blk.{}.", number), to = fmt::format("model.layers.{}.", number);
  const auto add = [&](const std::string& stored, const std::string& name, std::vector<int64_t> shape,
                       int64_t heads = 0) { all.add(from + stored, to + name, std::move(shape), heads); };
  const int64_t queries = s.heads * s.head_dim, keys = s.key_value_heads * s.head_dim;
  struct Projection {
    const char* letter;
    int64_t rows, permuted_heads;
  };
  add("attn_norm.weight", "input_layernorm.weight", {s.hidden});
  for (const Projection& one : {Projection{"q", queries, kind.permuted ? s.heads : 0},
                                {"k", keys, kind.permuted ? s.key_value_heads : 0},
                                {"v", keys, 0}}) {
    const auto stored = fmt::format("attn_{}.", one.letter), name = fmt::format("self_attn.{}_proj.", one.letter);
    add(stored + "weight", name + "weight", {one.rows, s.hidden}, one.permuted_heads);
    if (kind.biases) add(stored + "bias", name + "bias", {one.rows}, one.permuted_heads);
  }
  if (kind.head_norms) {
    add("attn_q_norm.weight", "self_attn.q_norm.weight", {s.head_dim});
    add("attn_k_norm.weight", "self_attn.k_norm.weight", {s.head_dim});
  }
  add("attn_output.weight", "self_attn.o_proj.weight", {s.hidden, queries});
  add("ffn_norm.weight", "post_attention_layernorm.weight", {s.hidden});
  add("ffn_gate.weight", "mlp.gate_proj.weight", {s.intermediate, s.hidden});
  add("ffn_up.weight", "mlp.up_proj.weight", {s.intermediate, s.hidden});
  add("ffn_down.weight", "mlp.down_proj.weight", {s.hidden, s.intermediate});
}

std::vector<TensorPlace> tensors_of(const GgufFile& file, const Architecture& kind, const ModelSizes& s) {
  TensorLookup all(file);
  all.add("token_embd.weight", "model.embed_tokens.weight", {s.vocabulary, s.hidden});
  for (int64_t i = 0; i < s.layers; ++i) add_layer(kind, s, i, all);
  all.add("output_norm.weight", "model.norm.weight", {s.hidden});
  if (file.find("output.weight")) all.add("output.weight", "lm_head.weight", {s.vocabulary, s.hidden});
  all.ignore("rope_freqs.weight");
  return std::move(all).places();
}

// Returns rope_scaling of config.json for the factors in rope_freqs.weight.
Json scaling_by_factors(const GgufFile& file, const GgufTensor& tensor, const ModelSizes& s, double theta) {
  const auto refuse = [&](const std::string& what) {
    throw Error(file.where(), "tensor 'rope_freqs.weight' " + what,
                "use a model with factors of the rules llama3 or linear, one for each pair of elements of a head",
                Exit::data);
  };
  const int64_t count = tensor.elements();
  if (tensor.shape.size() != 1 || count != s.head_dim / 2)
    refuse(fmt::format("is [{}], should be [{}]", fmt::join(tensor.shape, ", "), s.head_dim / 2));
  std::vector<float> factors(static_cast<size_t>(count));
  unpack(*tensor.format, tensor.bytes, factors);
  const auto scaling = rope_scaling_of(factors, theta);
  if (!scaling) refuse("contains factors that follow no supported rule");
  return *scaling;
}

// Returns rope_scaling of config.json for the metadata rope.scaling.*; null if positions are not scaled.
Json scaling_by_name(const MetadataReader& metadata, const std::string& prefix) {
  const std::string scaling = prefix + "rope.scaling.";
  const auto type = metadata.text(scaling + "type", "none");
  const double factor = metadata.positive(scaling + "factor", metadata.positive(prefix + "rope.scale_linear", 1));
  for (const char* name : {"attn_factor", "yarn_ext_factor", "yarn_attn_factor", "yarn_log_multiplier"}) {
    if (metadata.has(scaling + name)) metadata.refuse("metadata '" + scaling + name + "' is not supported");
  }
  if (type == "none" && !metadata.has(prefix + "rope.scale_linear")) return {};
  if (type == "linear" || type == "none")
    return factor == 1 ? Json() : Json{{"rope_type", "linear"}, {"factor", factor}};
  if (type != "yarn")
    metadata.refuse("metadata '" + scaling + "type' is '" + sanitized(type) + "', which is not supported",
                    "known: none, linear, yarn");
  Json yarn{{"rope_type", "yarn"}, {"factor", factor}};
  yarn["original_max_position_embeddings"] = metadata.whole(scaling + "original_context_length", 1, largest_size);
  for (const char* name : {"beta_fast", "beta_slow"}) {
    const std::string key = scaling + "yarn_" + name;
    if (metadata.has(key)) yarn[name] = metadata.positive(key, 1);
  }
  return yarn;
}

Json rope_scaling(const GgufFile& file, const ModelSizes& s, double theta, const std::string& prefix) {
  const auto metadata = file.reader();
  Json named = scaling_by_name(metadata, prefix);
  const auto* factors = file.find("rope_freqs.weight");
  if (!factors) return named;
  if (!named.is_null())
    metadata.refuse("scales rotary positions twice: by metadata '" + prefix + "rope.scaling' and by rope_freqs.weight");
  return scaling_by_factors(file, *factors, s, theta);
}

double epsilon(const MetadataReader& metadata, const std::string& prefix) {
  const std::string key = prefix + "attention.layer_norm_rms_epsilon";
  metadata.value(key);  // throws if it is missing
  return metadata.positive(key, 1e-6);
}

}  // namespace

int64_t source_row(int64_t row, int64_t rows_of_head) {
  const int64_t head = row / rows_of_head, within = row % rows_of_head, half = rows_of_head / 2;
  return head * rows_of_head + 2 * (within % half) + within / half;
}

ModelLayout model_layout(const GgufFile& file) {
  const auto metadata = file.reader();
  const Architecture* kind = &architecture_of(metadata);
  const std::string prefix = std::string(kind->name) + ".", window = prefix + "attention.sliding_window";
  if (kind->permuted && metadata.whole(window, 0, largest_size, 0) > 0) kind = &mistral;
  refuse_variations(metadata, prefix);
  const auto s = sizes_of(file, metadata, prefix);
  const double theta = metadata.positive(prefix + "rope.freq_base", 10000);
  ModelLayout layout;
  layout.tensors = tensors_of(file, *kind, s);
  layout.config = {{"architectures", {kind->of_transformers}},
                   {"model_type", kind->model_type},
                   {"vocab_size", s.vocabulary},
                   {"hidden_size", s.hidden},
                   {"num_hidden_layers", s.layers},
                   {"num_attention_heads", s.heads},
                   {"num_key_value_heads", s.key_value_heads},
                   {"head_dim", s.head_dim},
                   {"intermediate_size", s.intermediate},
                   {"max_position_embeddings", metadata.whole(prefix + "context_length", 1, largest_size)},
                   {"hidden_act", "silu"},
                   {"rms_norm_eps", epsilon(metadata, prefix)},
                   {"rope_theta", theta},
                   {"rope_scaling", rope_scaling(file, s, theta, prefix)},
                   {"tie_word_embeddings", file.find("output.weight") == nullptr},
                   {"attention_dropout", 0.0}};
  if (kind == &mistral) {
    const int64_t positions = metadata.whole(window, 0, largest_size, 0);
    layout.config["sliding_window"] = positions > 0 ? Json(positions) : Json();
  } else if (kind->permuted) {
    layout.config["attention_bias"] = false;
    layout.config["mlp_bias"] = false;
  } else {
    layout.config["use_sliding_window"] = false;
  }
  return layout;
}

}  // namespace compeer::gguf
