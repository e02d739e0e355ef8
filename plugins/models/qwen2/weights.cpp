#include "weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>

#include "record/safetensors.h"

namespace compeer::qwen2 {

namespace {

Parameter leaf(const Entry& entry) {
  at::Tensor value = at::empty(entry.shape, at::kFloat);
  value.set_requires_grad(true);
  return {entry.name, value};
}

bool ends_with(const std::string& text, const char* end) { return text.ends_with(end); }

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

at::ScalarType type_of(const record::TensorView& view) {
  if (view.dtype == "F32") return at::kFloat;
  if (view.dtype == "BF16") return at::kBFloat16;
  if (view.dtype == "F16") return at::kHalf;
  throw std::runtime_error("tensor '" + view.name + "' is of type " + view.dtype + "; F32, BF16 and F16 can be read");
}

// All that does not fit, at once: whoever mends a checkpoint wants the whole list.
std::string misfits(const std::vector<Entry>& wanted, const record::Safetensors& file) {
  std::string text;
  std::set<std::string> names;
  for (const Entry& entry : wanted) {
    names.insert(entry.name);
    if (!file.has(entry.name)) {
      text += "\n  missing " + entry.name + " " + shape_text(entry.shape);
    } else if (file.tensor(entry.name).shape != entry.shape) {
      text += "\n  " + entry.name + " is " + shape_text(file.tensor(entry.name).shape) + ", should be " +
              shape_text(entry.shape);
    }
  }
  for (const std::string& name : file.names()) {
    if (!names.contains(name) && !ends_with(name, "rotary_emb.inv_freq")) text += "\n  not expected " + name;
  }
  return text;
}

}  // namespace

std::vector<Entry> entries(const Config& c) {
  const int64_t queries = c.num_attention_heads * c.head_dim, keys = c.num_key_value_heads * c.head_dim;
  std::vector<Entry> all{{"model.embed_tokens.weight", {c.vocab_size, c.hidden_size}}};
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    all.push_back({layer + "input_layernorm.weight", {c.hidden_size}});
    all.push_back({layer + "self_attn.q_proj.weight", {queries, c.hidden_size}});
    all.push_back({layer + "self_attn.q_proj.bias", {queries}});
    all.push_back({layer + "self_attn.k_proj.weight", {keys, c.hidden_size}});
    all.push_back({layer + "self_attn.k_proj.bias", {keys}});
    all.push_back({layer + "self_attn.v_proj.weight", {keys, c.hidden_size}});
    all.push_back({layer + "self_attn.v_proj.bias", {keys}});
    all.push_back({layer + "self_attn.o_proj.weight", {c.hidden_size, queries}});
    all.push_back({layer + "post_attention_layernorm.weight", {c.hidden_size}});
    all.push_back({layer + "mlp.gate_proj.weight", {c.intermediate_size, c.hidden_size}});
    all.push_back({layer + "mlp.up_proj.weight", {c.intermediate_size, c.hidden_size}});
    all.push_back({layer + "mlp.down_proj.weight", {c.hidden_size, c.intermediate_size}});
  }
  all.push_back({"model.norm.weight", {c.hidden_size}});
  if (!c.tie_word_embeddings) all.push_back({"lm_head.weight", {c.vocab_size, c.hidden_size}});
  return all;
}

std::vector<Parameter> fresh(const Config& config, const std::function<double(uint32_t, uint32_t)>& normal) {
  std::vector<Parameter> parameters;
  for (const Entry& entry : entries(config)) {
    Parameter parameter = leaf(entry);
    float* out = static_cast<float*>(parameter.value.data_ptr());
    const auto count = static_cast<uint32_t>(parameter.value.numel());
    const auto index = static_cast<uint32_t>(parameters.size());
    if (entry.shape.size() == 1) {
      std::fill_n(out, count, ends_with(entry.name, "bias") ? 0.0f : 1.0f);
    } else {
      for (uint32_t j = 0; j < count; ++j) out[j] = static_cast<float>(0.02 * normal(index, j));
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<Parameter> load(const Config& config, const std::filesystem::path& folder) {
  const auto file = record::Safetensors::open_sharded(folder);
  const auto wanted = entries(config);
  if (const auto text = misfits(wanted, file); !text.empty()) {
    throw std::runtime_error(folder.string() + ": the weights do not fit config.json:" + text);
  }
  std::vector<Parameter> parameters;
  for (const Entry& entry : wanted) {
    const auto& view = file.tensor(entry.name);
    at::Tensor stored = at::empty(entry.shape, type_of(view));
    std::memcpy(stored.data_ptr(), view.bytes.data(), view.bytes.size());
    at::Tensor value = stored.to(at::kFloat).contiguous();
    value.set_requires_grad(true);
    parameters.push_back({entry.name, value});
  }
  return parameters;
}

void save(const std::vector<Parameter>& parameters, const std::filesystem::path& folder) {
  std::vector<record::TensorView> views;
  for (const Parameter& p : parameters) {
    const auto* bytes = static_cast<const std::byte*>(p.value.const_data_ptr());
    views.push_back(
        {p.name, "F32", p.value.sizes().vec(), {bytes, static_cast<size_t>(p.value.numel()) * sizeof(float)}});
  }
  record::write_safetensors(folder / "model.safetensors", views, {{"format", "pt"}});
}

}  // namespace compeer::qwen2
