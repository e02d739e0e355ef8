// Writes models with random weights for benchmarks.
#include "tools/bench/worker/model.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "base/disk.h"
#include "base/random.h"
#include "kernels/packed.h"
#include "record/safetensors.h"

namespace compeer::bench {

namespace {

using record::TensorView;

// Speed does not depend on weights: all matrices contain the same numbers, with standard deviation 0.02. The last token
// is never drawn, so that it can serve as the end token: the first element of every hidden state is constant, because
// no layer adds to it, and the head's weight for it is a large negative number for the last token.
constexpr float constant = 0.1f, never = -1e5f;

std::vector<float> numbers(int64_t count) {
  constexpr uint32_t period = 4099;
  std::vector<float> some(period);
  for (uint32_t i = 0; i < period; ++i) some[i] = static_cast<float>(0.02 * normal(0, Stream::weights, i));
  std::vector<float> all(static_cast<size_t>(count));
  for (size_t i = 0; i < all.size(); ++i) all[i] = some[i % period];
  return all;
}

std::vector<float> embedding(const BenchSize& s) {
  auto all = numbers(s.vocabulary * s.width);
  for (int64_t i = 0; i < s.vocabulary; ++i) all[static_cast<size_t>(i * s.width)] = constant;
  const auto last = all.end() - s.width;
  std::fill(last, all.end(), 0.0f);
  *last = never;
  return all;
}

std::vector<float> weights(const BenchSize& s) {
  auto all = numbers(s.feed_forward * s.width);
  // First row of the matrices whose output is added.
  std::fill_n(all.begin(), std::max(s.feed_forward, s.heads * s.head_dim()), 0.0f);
  return all;
}

std::vector<std::byte> stored(const std::vector<float>& values, bool half) {
  std::vector<std::byte> bytes(values.size() * (half ? 2 : 4));
  if (!half) std::memcpy(bytes.data(), values.data(), bytes.size());
  for (size_t i = 0; half && i < values.size(); ++i) {
    const auto value = kernels::Bfloat16::nearest(values[i]);
    std::memcpy(bytes.data() + i * 2, &value, 2);
  }
  return bytes;
}

std::vector<TensorView> tensors(const BenchSize& s, const std::string& type, const std::vector<std::byte>& embedding,
                                const std::vector<std::byte>& bytes, const std::vector<std::byte>& ones) {
  const size_t element = type == "F32" ? 4 : 2;
  std::vector<TensorView> all;
  const auto matrix = [&](const std::string& name, int64_t rows, int64_t columns) {
    all.push_back({name, type, {rows, columns}, {bytes.data(), static_cast<size_t>(rows * columns) * element}});
  };
  const auto vector = [&](const std::string& name, const std::vector<std::byte>& from, int64_t count) {
    all.push_back({name, type, {count}, {from.data(), static_cast<size_t>(count) * element}});
  };
  const int64_t queries = s.heads * s.head_dim(), keys = s.key_heads * s.head_dim();
  all.push_back({"model.embed_tokens.weight", type, {s.vocabulary, s.width}, embedding});
  vector("model.norm.weight", ones, s.width);
  for (int64_t i = 0; i < s.layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    vector(layer + "input_layernorm.weight", ones, s.width);
    vector(layer + "post_attention_layernorm.weight", ones, s.width);
    for (const auto& [name, rows] : std::map<std::string, int64_t>{{"q", queries}, {"k", keys}, {"v", keys}}) {
      matrix(layer + "self_attn." + name + "_proj.weight", rows, s.width);
      vector(layer + "self_attn." + name + "_proj.bias", bytes, rows);
    }
    matrix(layer + "self_attn.o_proj.weight", s.width, queries);
    matrix(layer + "mlp.gate_proj.weight", s.feed_forward, s.width);
    matrix(layer + "mlp.up_proj.weight", s.feed_forward, s.width);
    matrix(layer + "mlp.down_proj.weight", s.width, s.feed_forward);
  }
  return all;
}

nlohmann::json config(const BenchSize& s) {
  return {{"architectures", {"Qwen2ForCausalLM"}},
          {"model_type", "qwen2"},
          {"vocab_size", s.vocabulary},
          {"hidden_size", s.width},
          {"num_hidden_layers", s.layers},
          {"num_attention_heads", s.heads},
          {"num_key_value_heads", s.key_heads},
          {"intermediate_size", s.feed_forward},
          {"max_position_embeddings", 131072},
          {"rope_theta", 1e6},
          {"rms_norm_eps", 1e-6},
          {"hidden_act", "silu"},
          {"tie_word_embeddings", true}};
}

}  // namespace

BenchSize bench_size(const std::string& name) {
  static const std::map<std::string, BenchSize> sizes{{"toy", {1024, 128, 5, 4, 2, 384}},
                                                      {"small", {20000, 384, 8, 6, 2, 1536}},
                                                      {"0.5b", {151936, 896, 24, 14, 2, 4864}},
                                                      {"7b", {152064, 3584, 28, 28, 4, 18944}}};
  return sizes.at(name);
}

void write_bench_model(const BenchSize& size, const std::string& dtype, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const bool half = dtype != "fp32";
  const auto ones = stored(std::vector<float>(static_cast<size_t>(size.width), 1.0f), half);
  record::write_safetensors(
      folder / "model.safetensors",
      tensors(size, half ? "BF16" : "F32", stored(embedding(size), half), stored(weights(size), half), ones));
  std::ofstream(folder / "config.json") << config(size).dump(2) << "\n";
}

int bench_model(const nlohmann::json& options) {
  write_bench_model(bench_size(options.at("size")), "fp32", options.at("folder").get<std::string>());
  return 0;
}

BenchModel::BenchModel(const BenchSize& size, const std::string& dtype) : folder_(make_temporary_folder()) {
  write_bench_model(size, dtype, folder_);
}

BenchModel::~BenchModel() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace compeer::bench
