// The forward pass of a decoder, and its weights on another device.
#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <c10/util/intrusive_ptr.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "decoder.h"
#include "kernels/quantized.h"

namespace compeer::decoder {

using kernels::Weight;

namespace {

using WeakTensor = c10::weak_intrusive_ptr<at::TensorImpl, at::UndefinedTensorImpl>;

/// Device copies in use, and the host tensors they were made from.
struct Copies {
  struct Copy {
    WeakTensor of, there;
  };
  std::mutex mutex;
  std::map<std::pair<const void*, at::ScalarType>, Copy> known;

  at::Tensor find(const at::Tensor& host, at::Device device, at::ScalarType type) {
    const std::lock_guard lock(mutex);
    std::erase_if(known,
                  [](const auto& one) { return one.second.there.use_count() == 0 || one.second.of.use_count() == 0; });
    const auto key = std::pair(static_cast<const void*>(host.unsafeGetTensorImpl()), type);
    if (const auto found = known.find(key); found != known.end()) {
      if (auto there = found->second.there.lock()) return at::Tensor(std::move(there));
    }
    const auto there = host.to(device, type);
    known.insert_or_assign(key, Copy{WeakTensor(host.getIntrusivePtr()), WeakTensor(there.getIntrusivePtr())});
    return there;
  }
};

}  // namespace

ComputeOptions::ComputeOptions(const Settings& settings, bool adapted, const std::string& stored_as)
    : arithmetic(settings.text("engine") == "libtorch" ? kernels::libtorch() : kernels::exact()),
      storage(settings, adapted, stored_as),
      bfloat16_compute(settings.json().value("compute", "float32") == "bfloat16"),
      rotary_precision(settings.json().value("rotary_precision", "float32") == "bfloat16" ? at::kBFloat16
                                                                                          : at::kFloat) {
  storage.unpacked = !exact();
  if (storage.is_quantized() && !exact())
    throw Error("model.engine", "'libtorch' does not support model.precision = \"" + storage.precision + "\"",
                "set it to 'exact', or choose another model.precision");
  if (bfloat16_compute && storage.is_quantized())
    throw Error(
        "model.compute",
        "'bfloat16' does not support model.precision = \"" + storage.precision + "\", which is multiplied in float32",
        "set model.precision = \"bfloat16\"");
  device = at::Device(settings.json().value("device", "cpu"));
  if (!device.is_cpu() && exact()) throw Error("model.engine", "'exact' supports only the CPU", "set it to 'libtorch'");
  if (settings.has("recompute_above")) recompute_above_rows = settings.integer("recompute_above");
}

kernels::WeightOptions ComputeOptions::options(const at::Tensor& matrix) const {
  auto format = storage.format();
  if (format == WeightFormat::float32 && matrix.scalar_type() == at::kBFloat16) format = WeightFormat::bfloat16;
  if (bfloat16_compute) format = WeightFormat::bfloat16_pairs;
  return {format, storage.frozen, storage.frozen ? release : nullptr, !exact()};
}

Decoder::Decoder(const TextConfig& config, std::vector<Parameter> parameters, ComputeOptions use,
                 std::unique_ptr<Adapter> adapter)
    : config_(config), use_(std::move(use)), rotary_(config.rope, config.head_dim, use_.rotary_precision) {
  use_.storage.round(parameters);
  parameters_ = on_device(std::move(parameters), use_.device, use_.bfloat16_compute);
  if (adapter) adapter->move_to(use_.device);
  adapters_.push_back(std::move(adapter));
  if (use_.release && !use_.device.is_cpu()) use_.release();
  if (!use_.storage.frozen || this->adapter()) assemble();
}

int32_t Decoder::add_adapter(const std::filesystem::path& folder, const std::string& fingerprint) {
  if (!use_.storage.frozen)
    throw Error("model.frozen", "is false, but several adapters require a frozen base model", "set it to true");
  if (!use_.exact()) throw Error("model.engine", "'libtorch' supports only one adapter at a time", "set it to 'exact'");
  use_.storage.check(folder, trained_over(folder));
  adapters_.push_back(std::make_unique<Adapter>(config_, folder, fingerprint));
  const auto before = std::exchange(layers_, {});  // what frozen weights were rearranged to is found again
  if (!before.empty()) assemble();
  return static_cast<int32_t>(adapters_.size()) - 1;
}

ModelShape Decoder::shape() const {
  const auto& windows = config_.windows;
  const bool all_slide = !windows.empty() && std::find(windows.begin(), windows.end(), 0) == windows.end();
  return {config_.num_hidden_layers,
          config_.hidden_size,
          config_.num_key_value_heads,
          config_.head_dim,
          config_.vocab_size,
          config_.max_position_embeddings,
          use_.storage.rounded(),
          use_.exact(),
          all_slide ? windows.front() : 0,
          use_.storage.frozen ? use_.storage.format() : WeightFormat::float32,
          use_.bfloat16_compute ? at::kBFloat16 : at::kFloat,
          config_.intermediate_size};
}

// Rounds the embedding's rows to the quantized format, so that they have the same values as the head's.
at::Tensor Decoder::in_blocks(at::Tensor rows) const {
  for (int64_t i = 0; i < rows.size(0); ++i)
    kernels::round_row(rows.mutable_data_ptr<float>() + i * rows.size(1), rows.size(1), use_.storage.format());
  return rows;
}

// Reading a row of a mapped file may load up to 2 MB around it. A large embedding would end up in memory next to the
// head, of which it often is a copy, so its pages are released after every few rows.
at::Tensor Decoder::embed(const at::Tensor& tokens) const {
  constexpr size_t large = size_t{64} << 20;
  constexpr int64_t rows_at_once = 32;
  const at::Tensor& matrix = parameters_.front().value;
  const auto rows = [&](const at::Tensor& some) {
    if (use_.storage.is_quantized()) return in_blocks(at::index_select(matrix, 0, some).to(at::kFloat));
    return matrix.scalar_type() == at::kFloat || !use_.exact() ? use_.arithmetic.embedding(some, matrix)
                                                               : at::index_select(matrix, 0, some).to(at::kFloat);
  };
  if (!use_.release || !matrix.is_cpu() || matrix.nbytes() < large) return rows(tokens);
  std::vector<at::Tensor> parts;
  for (const at::Tensor& some : tokens.split(rows_at_once)) {
    parts.push_back(rows(some));
    use_.release();
  }
  return at::cat(parts);
}

at::Tensor Decoder::forward(at::Tensor rows, const Batch& batch, Cache* cache, std::vector<at::Tensor>* states) {
  if (layers_.empty()) assemble();
  rows = rows.to(use_.device);
  auto angles = rotary_.angles(positions(batch));
  angles = {angles.cosine.to(use_.device), angles.sine.to(use_.device)};
  kernels::AttentionContext place{angles.cosine, angles.sine,      batch.segments, cache, 0,
                                  false,         batch.prefix_out, batch.prefix_in};
  const bool all = !cache || !batch.last_only || rows.size(0) == static_cast<int64_t>(batch.segments.size());
  for (Layer& layer : layers_) {
    if (states) states->push_back(rows.cpu());
    place.last_only = !all && &layer == &layers_.back();
    rows = use_.arithmetic.attention_block(rows, layer.attention, place);
    rows = use_.arithmetic.feed_forward_block(rows, layer.feed_forward, place);
    ++place.layer;
  }
  rows = use_.arithmetic.rms_norm(rows, norm_, config_.rms_norm_eps);
  rows = rows.cpu();
  if (states) states->push_back(rows);
  return rows;
}

at::Tensor Decoder::head() const {
  return config_.tie_word_embeddings ? parameters_.front().value : parameters_.back().value;
}

const char* Decoder::stored_type() const {
  const Parameter& one = config_.tie_word_embeddings ? parameters_.front() : parameters_.back();
  const bool in_bfloat16 = (one.host.defined() ? one.host : one.value).scalar_type() == at::kBFloat16;
  return use_.storage.rounded() || in_bfloat16 ? "bfloat16" : "float32";
}

void Decoder::parameters_changed() {
  for (auto& [a, f] : layers_) {
    for (Weight* weight : {&a.q, &a.k, &a.v, &a.o, &f.gate, &f.up, &f.down}) weight->changed();
  }
}

// Frozen weights are repacked on first use. The head, the largest of them, has been repacked before, so at most one
// matrix is in memory twice, and never the head and all others together.
void Decoder::assemble() {
  if (use_.release) use_.release();
  auto next = parameters_.cbegin() + 1;
  for (int64_t i = 0; i < config_.num_hidden_layers; ++i) layers_.push_back(next_layer(next, config_.window(i)));
  norm_ = next->value;
}

// Takes the weights in the order of `entries`.
Decoder::Layer Decoder::next_layer(std::vector<Parameter>::const_iterator& next, int64_t window) const {
  const auto take = [&] { return (next++)->value; };
  const auto weight = [&] {
    const std::string& name = next->name;
    const at::Tensor matrix = take();
    Weight made(matrix, use_.options(matrix));
    for (size_t i = 0; i < adapters_.size(); ++i) {
      if (const auto* change = adapters_[i] ? adapters_[i]->find(name) : nullptr)
        made.add_low_rank(change->a.value, change->b.value, adapters_[i]->config().scaling(), static_cast<int32_t>(i));
    }
    return made;
  };
  const auto take_if = [&](bool there) { return there ? take() : at::Tensor(); };
  const kernels::Heads heads{config_.num_attention_heads, config_.num_key_value_heads, config_.head_dim, window,
                             use_.bfloat16_compute};
  const Family& family = config_.family;
  const at::Tensor input_norm = take();
  Weight q = weight();
  const at::Tensor q_bias = take_if(family.biases);
  Weight k = weight();
  const at::Tensor k_bias = take_if(family.biases);
  Weight v = weight();
  const at::Tensor v_bias = take_if(family.biases);
  const at::Tensor q_norm = take_if(family.head_norms), k_norm = take_if(family.head_norms);
  Weight o = weight();
  const at::Tensor post_norm = take();
  Weight gate = weight(), up = weight(), down = weight();
  return {
      {input_norm, q_bias, k_bias, v_bias, q_norm, k_norm, std::move(q), std::move(k), std::move(v), std::move(o),
       heads, config_.rms_norm_eps, use_.recompute_above_rows},
      {post_norm, std::move(gate), std::move(up), std::move(down), config_.rms_norm_eps, use_.recompute_above_rows}};
}

std::vector<Parameter> on_device(std::vector<Parameter> parameters, at::Device device, bool pairs) {
  static Copies copies;
  if (device.is_cpu()) return parameters;
  for (Parameter& p : parameters) {
    const auto type = pairs && p.value.dim() > 1 ? at::kBFloat16 : p.value.scalar_type();
    if (!p.value.requires_grad()) {
      p.host = p.value;  // shared by all models on this base
      p.value = copies.find(p.host, device, type);
      continue;
    }
    p.host = p.value.detach();
    p.value = p.host.to(device, type).set_requires_grad(true);
    p.value.set_grad_dtype(at::kFloat);
  }
  return parameters;
}

}  // namespace compeer::decoder
