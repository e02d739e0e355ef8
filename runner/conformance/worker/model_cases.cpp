// The cases of models. Sizes, parameters and the head match; a row is bitwise identical in any batch and with a cache;
// a saved model computes the same after it is loaded.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/disk.h"
#include "conformance/worker/cases.h"

namespace compeer::conformance {

namespace {

// Returns tokens [count]. Different values of `from` give different sequences.
at::Tensor tokens(int64_t count, int64_t from, int64_t vocabulary) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < count; ++i) all.push_back((from + 7 * i) % vocabulary);
  return at::tensor(all, at::kLong);
}

Batch batch_of(const std::vector<at::Tensor>& sequences) {
  Batch batch;
  std::vector<int64_t> ids;
  for (const at::Tensor& one : sequences) {
    Segment segment;
    segment.start = static_cast<int64_t>(ids.size());
    segment.length = one.size(0);
    batch.segments.push_back(segment);
    ids.insert(ids.end(), one.const_data_ptr<int64_t>(), one.const_data_ptr<int64_t>() + one.size(0));
  }
  batch.tokens = at::tensor(ids, at::kLong);
  return batch;
}

// Calls `forward` and returns the hidden states [rows, hidden]. Throws if the shape, the type or a number is wrong.
at::Tensor forward(Model& model, const Batch& batch, Cache* cache = nullptr) {
  const at::NoGradGuard no_grad;
  auto rows = model.forward(batch, cache);
  if (!rows.defined()) throw Error("", "returned no tensor", "", Exit::plugin);
  const std::vector<int64_t> expected{batch.tokens.size(0), model.shape().hidden};
  if (rows.scalar_type() != at::kFloat || rows.sizes() != expected) {
    throw Error("",
                fmt::format("returned {} [{}] instead of Float [{}]", c10::toString(rows.scalar_type()),
                            fmt::join(rows.sizes(), ", "), fmt::join(expected, ", ")),
                "", Exit::plugin);
  }
  if (!at::isfinite(rows).all().item<bool>()) throw Error("", "returned a number that is not finite", "", Exit::plugin);
  return rows;
}

// Computes one token at a time with a cache, as in sampling.
at::Tensor forward_with_cache(Model& model, const at::Tensor& ids) {
  const ModelShape shape = model.shape();
  const int64_t pages = (ids.size(0) + Cache::page - 1) / Cache::page;
  Cache cache;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    cache.keys.push_back(at::zeros({pages, shape.kv_heads, shape.head_dim, Cache::page}, at::kFloat));
    cache.values.push_back(at::zeros({pages, shape.kv_heads, Cache::page, shape.head_dim}, at::kFloat));
  }
  at::Tensor rows = at::zeros({ids.size(0), shape.hidden}, at::kFloat);
  for (int64_t i = 0; i < ids.size(0); ++i) {
    Batch batch = batch_of({ids.narrow(0, i, 1)});
    batch.segments[0].position = i;
    for (int32_t page = 0; page <= i / Cache::page; ++page) batch.segments[0].pages.push_back(page);
    rows.narrow(0, i, 1).copy_(forward(model, batch, &cache));
  }
  return rows;
}

// A batch of sequences with these (lengths, first tokens).
Case<Model> forward_case(const std::string& input, const std::vector<std::pair<int64_t, int64_t>>& sequences) {
  return {input, "forward", [sequences](plugin::Plugin<Model>& plugin) {
            return plugin.call("forward", [&](Model& model) {
              std::vector<at::Tensor> all;
              for (const auto& [length, from] : sequences)
                all.push_back(tokens(length, from, model.shape().vocabulary));
              return bytes(forward(model, batch_of(all)));
            });
          }};
}

std::string wrong_size(Model& model) {
  const ModelShape shape = model.shape();
  for (const auto& [name, size] : {std::pair{"layers", shape.layers},
                                   {"hidden", shape.hidden},
                                   {"kv_heads", shape.kv_heads},
                                   {"head_dim", shape.head_dim},
                                   {"vocabulary", shape.vocabulary},
                                   {"positions", shape.positions}}) {
    if (size < 1) return fmt::format("{} is {}", name, size);
  }
  const auto head = model.head();
  const std::vector<int64_t> expected{shape.vocabulary, shape.hidden};
  if (head.sizes() != expected)
    return fmt::format("the head is [{}] instead of [{}]", fmt::join(head.sizes(), ", "), fmt::join(expected, ", "));
  std::set<std::string> names;
  for (const Parameter& one : model.parameters()) {
    if (one.name.empty() || !names.insert(one.name).second) return "two parameters are called '" + one.name + "'";
    if (!one.value.defined() || one.value.scalar_type() != at::kFloat) return one.name + " is not float32";
    if (!one.value.is_leaf()) return one.name + " is not a leaf tensor";
  }
  return "";
}

std::string depends_on_batch(Model& model) {
  const auto vocabulary = model.shape().vocabulary;
  const auto one = tokens(21, 3, vocabulary), other = tokens(5, 11, vocabulary);
  const auto alone = forward(model, batch_of({one})), together = forward(model, batch_of({other, one}));
  if (!at::equal(alone, together.narrow(0, 5, 21))) return "21 rows alone and after 5 others differ";
  if (!at::equal(alone, forward_with_cache(model, one))) return "21 rows at once and one by one with a cache differ";
  return "";
}

std::string differs_when_read_back(Model& model, const Subject<Model>& subject) {
  const Scratch scratch;
  model.save(scratch.folder());
  nlohmann::json changes = {{"path", scratch.folder().string()}};
  if (subject.request.settings.contains("config")) changes["config"] = nullptr;
  auto back = subject.make(changes);
  const auto batch = batch_of({tokens(21, 3, model.shape().vocabulary)});
  const bool same = at::equal(forward(model, batch), forward(back.object(), batch));
  return same ? "" : "the saved and reloaded model computes other results";
}

}  // namespace

Cases<Model> cases_for(const Subject<Model>& subject) {
  Cases<Model> all;
  all.cases = {forward_case("40 tokens", {{40, 5}}), forward_case("a single token", {{1, 0}}),
               forward_case("three sequences", {{3, 1}, {17, 2}, {32, 9}})};
  all.rules = {{"sizes and head match; parameters are float32 and have different names", "shape", wrong_size}};
  if (subject.plugin.call("shape", [](Model& m) { return m.shape(); }).exact) {
    all.rules.push_back({"a row is bitwise identical in another batch and with a cache", "forward", depends_on_batch});
  } else {
    all.varies_with_threads = "the model declares that it does not compute exactly";
  }
  if (subject.request.settings.contains("path"))
    all.rules.push_back({"a saved model is the same when it is reloaded", "save",
                         [subject](Model& model) { return differs_when_read_back(model, subject); }});
  return all;
}

}  // namespace compeer::conformance
