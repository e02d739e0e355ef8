#include "weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "record/safetensors.h"

namespace compeer::decoder {

namespace {

const char* name_of(at::ScalarType type) { return type == at::kBFloat16 ? "BF16" : "F32"; }

bool aligned(const record::TensorView& view) {
  return reinterpret_cast<uintptr_t>(view.bytes.data()) % record::element_size(view.dtype) == 0;
}

}  // namespace

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

at::ScalarType type_of(const std::string& dtype) {
  if (dtype == "F32") return at::kFloat;
  if (dtype == "BF16") return at::kBFloat16;
  if (dtype == "F16") return at::kHalf;
  return at::ScalarType::Undefined;
}

std::vector<Entry> entries(const TextConfig& c) {
  const int64_t queries = c.num_attention_heads * c.head_dim, keys = c.num_key_value_heads * c.head_dim;
  std::vector<Entry> all{{"model.embed_tokens.weight", {c.vocab_size, c.hidden_size}}};
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    all.push_back({layer + "input_layernorm.weight", {c.hidden_size}});
    for (const auto& [name, width] : {std::pair{"q", queries}, {"k", keys}, {"v", keys}}) {
      const std::string projection = layer + "self_attn." + name + "_proj.";
      all.push_back({projection + "weight", {width, c.hidden_size}});
      if (c.family.biases) all.push_back({projection + "bias", {width}});
    }
    if (c.family.head_norms) {
      all.push_back({layer + "self_attn.q_norm.weight", {c.head_dim}});
      all.push_back({layer + "self_attn.k_norm.weight", {c.head_dim}});
    }
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

Keeping::Keeping(const Settings& settings, bool adapted)
    : frozen(adapted || settings.flag("frozen")), precision(settings.text("precision")) {
  if (!frozen && precision == "stored")
    throw Error("model.precision", "is 'stored', but weights that train are float32 or bfloat16",
                "set frozen = true, or choose one of them");
}

struct Store::Files {
  std::filesystem::path folder;
  Keeping keeping;
  std::function<std::string(const std::string&)> stored_as;
  record::Safetensors file;

  std::string name(const Entry& entry) const { return stored_as ? stored_as(entry.name) : entry.name; }
  std::string misfits(const std::vector<Entry>& wanted, bool (*passed_over)(const std::string&)) const;
};

namespace {

// Weights that train share the pages of a file in float32 until they are written to; all others are only read from it.
record::Safetensors open(const std::filesystem::path& folder, const Keeping& keeping) {
  auto file = record::Safetensors::open_sharded(folder);
  const auto names = file.names();
  const bool shares = !keeping.frozen && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return file.tensor(name).dtype == "F32";
  });
  return shares ? record::Safetensors::open_sharded(folder, record::Access::copy_on_write) : std::move(file);
}

}  // namespace

Store::Store(const std::filesystem::path& folder, Keeping keeping,
             std::function<std::string(const std::string&)> stored_as)
    : files_(std::make_shared<Files>(Files{folder, keeping, std::move(stored_as), open(folder, keeping)})) {}

bool Store::has(const std::string& name) const { return files_->file.has(name); }

std::string Store::Files::misfits(const std::vector<Entry>& wanted, bool (*passed_over)(const std::string&)) const {
  std::string text;
  std::set<std::string> names;
  for (const Entry& entry : wanted) {
    const std::string stored = name(entry);
    names.insert(stored);
    if (!file.has(stored)) {
      text += "\n  missing " + stored + " " + shape_text(entry.shape);
      continue;
    }
    const auto& view = file.tensor(stored);
    if (view.shape != entry.shape)
      text += "\n  " + stored + " is " + shape_text(view.shape) + ", should be " + shape_text(entry.shape);
    if (type_of(view.dtype) == at::ScalarType::Undefined)
      text += "\n  " + stored + " is of type " + view.dtype + "; F32, BF16 and F16 can be read";
  }
  for (const std::string& other : file.names()) {
    if (names.contains(other) || other.ends_with("rotary_emb.inv_freq")) continue;
    if (!passed_over || !passed_over(other)) text += "\n  not expected " + other;
  }
  return text;
}

void Store::check(const std::vector<Entry>& wanted, bool (*passed_over)(const std::string&)) const {
  if (const auto text = files_->misfits(wanted, passed_over); !text.empty())
    throw Error(files_->folder.string(), "the weights do not fit config.json:" + text, "", Exit::data);
}

Parameter Store::take(const Entry& entry) const {
  const auto& view = files_->file.tensor(files_->name(entry));
  const at::ScalarType type = type_of(view.dtype);
  const auto options = at::TensorOptions(type);
  auto* bytes = const_cast<std::byte*>(view.bytes.data());  // writable where access is copy_on_write
  at::Tensor stored;
  if (aligned(view)) {
    stored = at::from_blob(
        bytes, entry.shape, [files = files_](void*) {}, options);
  } else {
    stored = at::empty(entry.shape, options);
    std::copy(view.bytes.begin(), view.bytes.end(), static_cast<std::byte*>(stored.data_ptr()));
  }
  const bool frozen = files_->keeping.frozen;
  const bool as_stored = frozen && entry.shape.size() > 1 && type != at::kHalf;
  at::Tensor value = as_stored ? stored : stored.to(at::kFloat);
  // Vectors are small and read in every pass: they leave the mapping, so that its pages are left alone.
  if (frozen && !as_stored && value.is_same(stored)) value = stored.clone();
  if (!value.is_same(stored)) files_->file.release();  // converted: no more than one tensor is in memory twice
  return {entry.name, value.set_requires_grad(!frozen)};
}

std::vector<Parameter> Store::take(const std::vector<Entry>& wanted) const {
  std::vector<Parameter> parameters;
  for (const Entry& entry : wanted) parameters.push_back(take(entry));
  return parameters;
}

std::function<void()> Store::release() const {
  return [files = files_] { files->file.release(); };
}

std::vector<Parameter> fresh(const TextConfig& config, const std::function<double(uint32_t, uint32_t)>& normal) {
  std::vector<Parameter> parameters;
  for (const Entry& entry : entries(config)) {
    at::Tensor value = at::empty(entry.shape, at::kFloat);
    float* out = static_cast<float*>(value.data_ptr());
    const auto count = static_cast<uint32_t>(value.numel());
    const auto index = static_cast<uint32_t>(parameters.size());
    if (entry.shape.size() == 1) {
      std::fill_n(out, count, entry.name.ends_with("bias") ? 0.0f : 1.0f);
    } else {
      for (uint32_t j = 0; j < count; ++j) out[j] = static_cast<float>(0.02 * normal(index, j));
    }
    parameters.push_back({entry.name, value.set_requires_grad(true)});
  }
  return parameters;
}

std::vector<Parameter> load(const TextConfig& config, const std::filesystem::path& folder) {
  const Store store(folder, Keeping());
  const auto wanted = entries(config);
  store.check(wanted);
  return store.take(wanted);
}

void save(const std::vector<Parameter>& parameters, const std::filesystem::path& folder, uint64_t limit) {
  std::vector<record::TensorView> views;
  for (const Parameter& p : parameters) {
    const auto* bytes = static_cast<const std::byte*>(p.value.const_data_ptr());
    views.push_back({p.name, name_of(p.value.scalar_type()), p.value.sizes().vec(), {bytes, p.value.nbytes()}});
  }
  record::write_sharded(folder, views, limit);
}

}  // namespace compeer::decoder
