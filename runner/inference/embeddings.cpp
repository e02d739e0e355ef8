#include "inference/embeddings.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "kernels/arrays.h"
#include "rollout/int_tensor.h"

namespace compeer::inference {

namespace {

constexpr int64_t rows_at_once = 4096;  // or one longer text

}  // namespace

std::vector<std::vector<float>> embeddings(plugin::Plugin<Model>& model, const language::Tokenizer& tokenizer,
                                           const std::vector<std::string>& texts) {
  const at::NoGradGuard no_grad;
  const ModelShape shape = model.call("shape", [](Model& m) { return m.shape(); });
  std::vector<std::vector<float>> results(texts.size(), std::vector<float>(static_cast<size_t>(shape.hidden), 0.0f));
  std::vector<int32_t> tokens;
  std::vector<size_t> owners;
  Batch batch;
  const auto flush = [&] {
    if (batch.segments.empty()) return;
    batch.tokens = rollout::int_tensor(tokens);
    const auto hidden = model.call("forward", [&](Model& m) { return m.forward(batch, nullptr); });
    for (size_t i = 0; i < owners.size(); ++i) {
      const Segment& segment = batch.segments[i];
      const auto* rows = static_cast<const float*>(hidden.const_data_ptr()) + segment.start * shape.hidden;
      results[owners[i]] = kernels::mean_row(rows, segment.length, shape.hidden);
    }
    tokens.clear(), owners.clear(), batch.segments.clear();
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    auto own = tokenizer.encode(texts[i]);
    own.resize(std::min(own.size(), static_cast<size_t>(shape.positions)));
    if (own.empty()) continue;
    const auto start = static_cast<int64_t>(tokens.size()), length = static_cast<int64_t>(own.size());
    if (start > 0 && start + length > rows_at_once) flush();
    batch.segments.push_back({static_cast<int64_t>(tokens.size()), length, 0, -1, {}});
    tokens.insert(tokens.end(), own.begin(), own.end());
    owners.push_back(i);
  }
  flush();
  return results;
}

}  // namespace compeer::inference
