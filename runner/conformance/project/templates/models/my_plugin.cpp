// my_plugin: a bigram language model, which predicts from the last token only. The hidden state of a token is its row
// of `embedding`; the logit of the next token is the product with its row of `head`. Without attention, it needs
// neither the cache nor the segments' contexts.
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <compeer/model.h>
#include <compeer/plugin.h>

#include <filesystem>

#include "weights.h"

namespace {

using nlohmann::json;

class MyPlugin : public compeer::Model, public compeer::TrainableInParts {
 public:
  // Every key of the descriptor below is present, with a valid type and range; `config` also contains the size of the
  // tokenizer's vocabulary. A resumed run passes its checkpoint as `path`. Any exception rejects the settings; its
  // message is shown to the user.
  MyPlugin(const compeer::Settings& settings, compeer::Host& host) {
    if (settings.has("path")) {
      read(settings.text("path"));
    } else {
      draw(settings.table("config"), host);
    }
    embedding_.requires_grad_();
    head_.requires_grad_();
  }

  compeer::ModelShape shape() const override {
    compeer::ModelShape shape;
    shape.layers = shape.kv_heads = shape.head_dim = 1;  // sizes of the cache, which is not used
    shape.hidden = head_.size(1);
    shape.vocabulary = head_.size(0);
    shape.positions = 4096;
    return shape;
  }

  at::Tensor forward(const compeer::Batch& batch, compeer::Cache*) override {
    const at::Tensor rows = batch.embedded.defined() ? batch.embedded : embed(batch);
    if (!batch.last_only) return rows;
    std::vector<int64_t> last;
    for (const auto& segment : batch.segments) last.push_back(segment.start + segment.length - 1);
    return at::index_select(rows, 0, at::tensor(last));
  }

  at::Tensor embed(const compeer::Batch& batch) override { return at::index_select(embedding_, 0, batch.tokens); }
  at::Tensor head() override { return head_; }
  std::vector<compeer::Parameter> parameters() override { return {{"embedding", embedding_}, {"head", head_}}; }
  void parameters_changed() override {}

  void save(const std::string& folder) override {
    write_text(folder + "/config.json", json{{"model_type", "my_plugin"}}.dump(2));
    write_weights(folder + "/model.safetensors", {{"embedding", embedding_}, {"head", head_}});
  }

 private:
  void read(const std::string& folder) {
    auto weights = read_weights(folder + "/model.safetensors");
    embedding_ = weights.at("embedding");
    head_ = weights.at("head");
  }

  void draw(const compeer::Settings& config, compeer::Host& host) {
    const int64_t vocabulary = config.integer("vocab_size"), width = config.integer("width");
    for (at::Tensor* matrix : {&embedding_, &head_}) {
      *matrix = at::empty({vocabulary, width}, at::kFloat);
      float* value = matrix->mutable_data_ptr<float>();
      const uint32_t which = matrix == &head_;
      for (int64_t i = 0; i < matrix->numel(); ++i)
        *value++ = static_cast<float>(0.2 * host.random(static_cast<uint32_t>(i), which) - 0.1);
    }
  }

  at::Tensor embedding_, head_;  // [vocabulary, width]
};

}  // namespace

COMPEER_PLUGIN(Model, models, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Bigram model: predicts the next token from the last one.",
  "parameters": {
    "path": {"type": "path", "default": null, "help": "folder of a model saved by this plugin"},
    "config": {"type": "table", "default": {}, "help": "sizes of a new model; the vocabulary is the tokenizer's",
      "parameters": {
        "width": {"type": "integer", "default": 32, "min": 1, "help": "size of the embedding of a token"}
      }}
  })json")
