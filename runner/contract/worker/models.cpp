// What is asked of a model: sizes, parameters and a head that fit each other; finite hidden states, a row the same bits
// whatever else is in the batch, with a cache or without; and that a saved model is the same when it is read back.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/scratch.h"
#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"
#include "contract/worker/watch.h"

namespace compeer::contract {

namespace {

using Plugin = plugin::Plugin<Model>;

ModelShape shape_of(Plugin& model) {
  return model.call("shape", [](Model& m) { return m.shape(); });
}

// Some tokens of the vocabulary, never two sequences the same.
at::Tensor tokens(int64_t count, int64_t from, int64_t vocabulary) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < count; ++i) all.push_back((from + 7 * i) % vocabulary);
  return at::tensor(all, at::kLong);
}

[[noreturn]] void refuse(Plugin& model, const std::string& what) {
  plugin::refuse(model.identity(), "forward", what, "the contract is in compeer/model.h");
}

// The door of a model.
at::Tensor forward(Plugin& model, const Batch& batch, Cache* cache = nullptr) {
  const at::NoGradGuard no_grad;
  patience_begins();
  auto rows = model.call("forward", [&](Model& m) { return m.forward(batch, cache); });
  if (!rows.defined()) refuse(model, "returned no tensor");
  const std::vector<int64_t> expected{batch.tokens.size(0), shape_of(model).hidden};
  if (rows.scalar_type() != at::kFloat || rows.sizes() != expected)
    refuse(model, fmt::format("returned {} [{}] instead of Float [{}]", c10::toString(rows.scalar_type()),
                              fmt::join(rows.sizes(), ", "), fmt::join(expected, ", ")));
  if (!at::isfinite(rows).all().item<bool>()) refuse(model, "returned a number that is not finite");
  return rows;
}

Batch sequences(const std::vector<at::Tensor>& all) {
  Batch batch;
  std::vector<int64_t> ids;
  for (const at::Tensor& one : all) {
    Segment segment;
    segment.start = static_cast<int64_t>(ids.size());
    segment.length = one.size(0);
    batch.segments.push_back(segment);
    ids.insert(ids.end(), one.const_data_ptr<int64_t>(), one.const_data_ptr<int64_t>() + one.size(0));
  }
  batch.tokens = at::tensor(ids, at::kLong);
  return batch;
}

// One token after the other, as while sampling.
at::Tensor with_cache(Plugin& model, const at::Tensor& ids) {
  const ModelShape shape = shape_of(model);
  const int64_t pages = (ids.size(0) + Cache::page - 1) / Cache::page;
  Cache cache;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    cache.keys.push_back(at::zeros({pages, shape.kv_heads, shape.head_dim, Cache::page}, at::kFloat));
    cache.values.push_back(at::zeros({pages, shape.kv_heads, Cache::page, shape.head_dim}, at::kFloat));
  }
  at::Tensor rows = at::zeros({ids.size(0), shape.hidden}, at::kFloat);
  for (int64_t i = 0; i < ids.size(0); ++i) {
    Batch batch = sequences({ids.narrow(0, i, 1)});
    batch.segments[0].position = i;
    for (int32_t page = 0; page <= i / Cache::page; ++page) batch.segments[0].pages.push_back(page);
    rows.narrow(0, i, 1).copy_(forward(model, batch, &cache));
  }
  return rows;
}

Case<Model> computes(const std::string& input, const std::vector<std::pair<int64_t, int64_t>>& lengths_and_starts) {
  return {input, "forward", [lengths_and_starts](Plugin& model) {
            std::vector<at::Tensor> all;
            for (const auto& [length, from] : lengths_and_starts)
              all.push_back(tokens(length, from, shape_of(model).vocabulary));
            return bytes(forward(model, sequences(all)));
          }};
}

// What a model may do without: trained in parts, compared with other implementations.
Case<Model> on_request(const std::string& method, std::vector<at::Tensor> (*call)(Model&, const Batch&)) {
  return {"40 tokens", method,
          [method, call](Plugin& model) {
            const at::NoGradGuard no_grad;
            const auto batch = sequences({tokens(40, 5, shape_of(model).vocabulary)});
            std::string all;
            for (const auto& one : model.call(method.c_str(), [&](Model& m) { return call(m, batch); }))
              all += bytes(one);
            return all;
          },
          true};
}

std::vector<at::Tensor> embedded(Model& model, const Batch& batch) {
  return {plugin::optional_interface<TrainableInParts>(model, "it can't be trained in parts").embed(batch)};
}

std::string misshapen(Plugin& model) {
  const ModelShape shape = shape_of(model);
  for (const auto& [name, size] : {std::pair{"layers", shape.layers},
                                   {"hidden", shape.hidden},
                                   {"kv_heads", shape.kv_heads},
                                   {"head_dim", shape.head_dim},
                                   {"vocabulary", shape.vocabulary},
                                   {"positions", shape.positions}}) {
    if (size < 1) return fmt::format("{} is {}", name, size);
  }
  const auto head = model.call("head", [](Model& m) { return m.head(); });
  const std::vector<int64_t> expected{shape.vocabulary, shape.hidden};
  if (head.sizes() == expected) return "";
  return fmt::format("the head is [{}] instead of [{}]", fmt::join(head.sizes(), ", "), fmt::join(expected, ", "));
}

std::string odd_parameter(Plugin& model) {
  std::set<std::string> names;
  for (const Parameter& one : model.call("parameters", [](Model& m) { return m.parameters(); })) {
    if (one.name.empty() || !names.insert(one.name).second) return "two are called '" + one.name + "'";
    if (!one.value.defined() || one.value.scalar_type() != at::kFloat) return one.name + " is not float32";
    if (!one.value.is_leaf()) return one.name + " is no leaf";
  }
  return "";
}

std::string other_in_company(Plugin& model) {
  const auto vocabulary = shape_of(model).vocabulary;
  const auto one = tokens(21, 3, vocabulary), other = tokens(5, 11, vocabulary);
  const auto alone = forward(model, sequences({one})), together = forward(model, sequences({other, one}));
  return at::equal(alone, together.narrow(0, 5, 21)) ? "" : "21 rows alone and behind 5 others are not the same";
}

std::string other_with_cache(Plugin& model) {
  const auto ids = tokens(21, 3, shape_of(model).vocabulary);
  return at::equal(forward(model, sequences({ids})), with_cache(model, ids))
             ? ""
             : "21 rows at once, and one after the other with a cache, are not the same";
}

std::string other_when_read_back(Plugin& model, const Subject<Model>& subject) {
  const Scratch scratch;
  model.call("save", [&](Model& m) { m.save(scratch.folder()); });
  nlohmann::json changes = {{"path", scratch.folder().string()}};
  if (subject.settings.contains("config")) changes["config"] = nullptr;
  auto back = subject.another(changes);
  const auto batch = sequences({tokens(21, 3, shape_of(model).vocabulary)});
  return at::equal(forward(model, batch), forward(back, batch)) ? ""
                                                                : "what was saved and read back computes otherwise";
}

}  // namespace

Kit<Model> kit_for(const Subject<Model>& subject) {
  Kit<Model> kit;
  kit.cases = {computes("40 tokens", {{40, 5}}), computes("a single token", {{1, 0}}),
               computes("three sequences", {{3, 1}, {17, 2}, {32, 9}}),
               on_request("hidden_states", [](Model& m, const Batch& batch) { return m.hidden_states(batch); })};
  if (dynamic_cast<TrainableInParts*>(&subject.plugin.object())) kit.cases.push_back(on_request("embed", embedded));
  kit.rules = {{"sizes and head fit each other", "shape", misshapen},
               {"parameters are float32, each with a name of its own", "parameters", odd_parameter}};
  if (shape_of(subject.plugin).exact) {
    kit.rules.push_back({"a row has the same bits in other company", "forward", other_in_company});
    kit.rules.push_back({"a row has the same bits with a cache", "forward", other_with_cache});
  } else {
    kit.not_on_threads = "it says that it does not compute exactly";
  }
  if (subject.settings.contains("path"))
    kit.rules.push_back({"a saved model is the same when it is read back", "save",
                         [subject](Plugin& model) { return other_when_read_back(model, subject); }, "state"});
  return kit;
}

}  // namespace compeer::contract
