// Loads a BERT encoder and computes sentence vectors.
#include "encoder.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/arithmetic.h"
#include "kernels/arrays.h"
#include "kernels/functions.h"

namespace compeer::sentence_encoder {

namespace {

constexpr size_t rows_at_once = 4096;  // rows of a batch, unless a single text has more

const kernels::Arithmetic& arithmetic() { return kernels::exact(); }

// Returns a function that maps names to those in the file: with the prefix of a larger model, or of BERT's first
// release.
std::function<std::string(const std::string&)> naming(const decoder::Store& store) {
  const std::string prefix = store.has("bert.embeddings.word_embeddings.weight") ? "bert." : "";
  const bool first_release = store.has(prefix + "embeddings.LayerNorm.gamma");
  return [prefix, first_release](const std::string& name) {
    const size_t norm = name.find("LayerNorm.");
    if (!first_release || norm == std::string::npos) return prefix + name;
    return prefix + name.substr(0, norm) + (name.ends_with("weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
  };
}

// True for tensors that the encoder does not need: heads, and position ids.
bool is_ignored(const std::string& name) {
  const bool encoder = name.find("embeddings.") != std::string::npos || name.find("encoder.") != std::string::npos;
  return !encoder || name.ends_with("position_ids");
}

at::Tensor numbers(const std::vector<int64_t>& values) {
  auto tensor = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<int64_t>());
  return tensor;
}

// Row by row, with sums in double precision in a fixed order.
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double epsilon) {
  at::Tensor result = at::empty_like(x);
  const int64_t width = x.size(1);
  const float *in = x.const_data_ptr<float>(), *w = weight.const_data_ptr<float>(), *b = bias.const_data_ptr<float>();
  float* out = result.mutable_data_ptr<float>();
  for (int64_t row = 0; row < x.size(0); ++row, in += width, out += width) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < width; ++i) sum += static_cast<double>(in[i]);
    const double mean = sum / static_cast<double>(width);
    for (int64_t i = 0; i < width; ++i)
      squares += (static_cast<double>(in[i]) - mean) * (static_cast<double>(in[i]) - mean);
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(width) + epsilon);
    for (int64_t i = 0; i < width; ++i)
      out[i] = static_cast<float>((static_cast<double>(in[i]) - mean) * scale) * w[i] + b[i];
  }
  return result;
}

}  // namespace

std::vector<decoder::Entry> entries(const BertConfig& c) {
  std::vector<decoder::Entry> all{{"embeddings.word_embeddings.weight", {c.vocab_size, c.hidden_size}},
                                  {"embeddings.position_embeddings.weight", {c.max_position_embeddings, c.hidden_size}},
                                  {"embeddings.token_type_embeddings.weight", {c.type_vocab_size, c.hidden_size}}};
  const auto dense = [&](const std::string& name, int64_t out, int64_t in) {
    all.push_back({name + ".weight", {out, in}});
    all.push_back({name + ".bias", {out}});
  };
  const auto norm = [&](const std::string& name) {
    all.push_back({name + ".LayerNorm.weight", {c.hidden_size}});
    all.push_back({name + ".LayerNorm.bias", {c.hidden_size}});
  };
  norm("embeddings");
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i) + ".";
    for (const char* part :
         {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"})
      dense(layer + part, c.hidden_size, c.hidden_size);
    norm(layer + "attention.output");
    dense(layer + "intermediate.dense", c.intermediate_size, c.hidden_size);
    dense(layer + "output.dense", c.hidden_size, c.intermediate_size);
    norm(layer + "output");
  }
  return all;
}

Encoder::Encoder(const std::filesystem::path& folder)
    : recipe_(read_recipe(folder)),
      config_(read_config(recipe_.model / "config.json")),
      pieces_(language::WordPieces::load(recipe_.model)),
      max_tokens_(static_cast<size_t>(config_.max_position_embeddings)) {
  if (recipe_.max_tokens > 0) max_tokens_ = std::min(max_tokens_, static_cast<size_t>(recipe_.max_tokens));
  const auto refuse = [&](const std::string& what) { throw Error(recipe_.model.string(), what, "", Exit::data); };
  if (pieces_.size() > config_.vocab_size)
    refuse("its tokenizer has " + std::to_string(pieces_.size()) + " pieces, but its model only " +
           std::to_string(config_.vocab_size));
  if (recipe_.lowercase && !pieces_.lowercases())
    refuse("'do_lower_case' in sentence_bert_config.json contradicts the tokenizer, which keeps capitals");

  decoder::WeightStorage keeping;
  keeping.frozen = true;
  const decoder::Store store(recipe_.model, keeping, naming(decoder::Store(recipe_.model, keeping)));
  const auto all = entries(config_);
  store.check(all, is_ignored);
  auto next = all.begin();
  const auto take = [&] { return store.take(*next++).value; };
  const auto dense = [&] {
    kernels::Weight weight(take(), {kernels::Format::float32, true, store.release()});
    return Dense{std::move(weight), take()};
  };
  const auto norm = [&] {
    const at::Tensor weight = take();
    return Norm{weight, take()};
  };
  words_ = take().to(at::kFloat);
  positions_ = take().to(at::kFloat);
  positions_ = at::add(positions_, take().to(at::kFloat).select(0, 0));
  norm_ = norm();
  for (int64_t i = 0; i < config_.num_hidden_layers; ++i) {
    // Braces guarantee evaluation from left to right.
    layers_.push_back(Layer{dense(), dense(), dense(), dense(), norm(), dense(), dense(), norm()});
  }
}

std::vector<int32_t> Encoder::tokens(const std::string& text) const { return pieces_.encode(text, max_tokens_); }

at::Tensor Encoder::pass(Layer& layer, const at::Tensor& x, const std::vector<kernels::RowRange>& texts) {
  const auto through = [](Dense& dense, const at::Tensor& rows) {
    return arithmetic().linear(rows, dense.weight, dense.bias);
  };
  const auto normed = [&](const at::Tensor& rows, const Norm& norm) {
    return layer_norm(rows, norm.weight, norm.bias, config_.layer_norm_eps);
  };
  const kernels::Heads heads{config_.num_attention_heads, config_.num_attention_heads, config_.head_dim()};
  const at::Tensor seen = arithmetic().attention_spans(through(layer.query, x), through(layer.key, x),
                                                       through(layer.value, x), texts, heads);
  const at::Tensor h = normed(at::add(x, through(layer.attention_out, seen)), layer.attention_norm);
  const at::Tensor wide = kernels::gelu(through(layer.intermediate, h));
  return normed(at::add(h, through(layer.out, wide)), layer.norm);
}

at::Tensor Encoder::forward(const std::vector<int32_t>& tokens, const std::vector<kernels::RowRange>& texts) {
  std::vector<int64_t> places;
  for (const kernels::RowRange& text : texts) {
    for (int64_t i = 0; i < text.end - text.start; ++i) places.push_back(i);
  }
  at::Tensor x = at::add(arithmetic().embedding(numbers({tokens.begin(), tokens.end()}), words_),
                         arithmetic().embedding(numbers(places), positions_));
  x = layer_norm(x, norm_.weight, norm_.bias, config_.layer_norm_eps);
  for (Layer& layer : layers_) x = pass(layer, x, texts);
  return x;
}

std::vector<std::vector<float>> Encoder::embed(const std::vector<std::string>& texts) {
  const int64_t width = config_.hidden_size;
  std::vector<std::vector<float>> results(texts.size(), std::vector<float>(static_cast<size_t>(width), 0.0f));
  std::vector<int32_t> batch;
  std::vector<kernels::RowRange> spans;
  std::vector<size_t> owners;
  const auto flush = [&] {
    if (spans.empty()) return;
    const at::Tensor hidden = forward(batch, spans);
    for (size_t i = 0; i < spans.size(); ++i) {
      const float* rows = hidden.const_data_ptr<float>() + spans[i].start * width;
      results[owners[i]] = kernels::mean_row(rows, recipe_.first_only ? 1 : spans[i].end - spans[i].start, width);
    }
    batch.clear(), spans.clear(), owners.clear();
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto own = tokens(texts[i]);
    if (own.size() <= 2) continue;
    if (batch.size() + own.size() > rows_at_once) flush();
    const auto start = static_cast<int64_t>(batch.size());
    spans.push_back({start, start + static_cast<int64_t>(own.size())});
    batch.insert(batch.end(), own.begin(), own.end());
    owners.push_back(i);
  }
  flush();
  return results;
}

}  // namespace compeer::sentence_encoder
