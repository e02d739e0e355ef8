// Qwen2.5-VL: the text model of Qwen2.5 with a vision tower. The tower is frozen: its output for a picture is computed
// once and stored with the tokens. If its merger is trained, the merger's input is stored instead, and every forward
// pass runs the merger.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/model_folder.h"
#include "base/pages.h"
#include "compeer/model.h"
#include "compeer/plugin.h"
#include "config.h"
#include "decoder/decoder.h"
#include "decoder/settings.h"
#include "decoder/weights.h"
#include "tower.h"
#include "vision_features.h"

namespace compeer::qwen2_5_vl {

namespace {

/// All weights of a model folder.
struct VlWeights {
  std::vector<Parameter> text;    ///< as decoder::entries lists them, stored as the settings say
  std::vector<Parameter> tower;   ///< as tower_entries lists them, frozen
  std::vector<Parameter> merger;  ///< as merger_entries lists them, stored as the text model's or as the tower's
  std::function<void()> release_text, release_tower;  ///< decoder::Store::release
  std::string fingerprint;                            ///< fingerprint of the text weights, if they are frozen
};

// Returns the name of a weight in files by newer programs.
std::string language_model_name(const std::string& published) {
  if (published.starts_with("visual.")) return "model." + published;
  if (published.starts_with("model.")) return "model.language_model." + published.substr(6);
  return published;
}

decoder::Store open(const std::filesystem::path& folder, const decoder::WeightStorage& keeping) {
  if (decoder::Store(folder, keeping).has(language_model_name("model.embed_tokens.weight")))
    return decoder::Store(folder, keeping, language_model_name);
  return decoder::Store(folder, keeping);
}

// The tower is always frozen. In training, weights stored as bfloat16 stay so, because their products equal those of
// float32 copies.
decoder::WeightStorage tower_keeping(const decoder::WeightStorage& keeping) {
  decoder::WeightStorage tower = keeping;
  tower.frozen = true;
  if (!keeping.frozen || keeping.is_quantized()) tower.precision = "stored";
  return tower;
}

// Loads a folder with published names (visual.*, model.*) or newer ones (model.visual.*, model.language_model.*). Lists
// all missing, extra and misshaped tensors in one Error (exit 4).
VlWeights load(const VlConfig& config, const std::filesystem::path& folder, const decoder::WeightStorage& keeping,
               bool merger_trains) {
  const auto text = decoder::entries(config.text), tower = tower_entries(config.vision),
             merger = merger_entries(config.vision);
  auto all = text;
  all.insert(all.end(), tower.begin(), tower.end());
  all.insert(all.end(), merger.begin(), merger.end());
  const decoder::Store trained = open(folder, keeping), frozen = open(folder, tower_keeping(keeping));
  trained.check(all);
  return {trained.take(text), frozen.take(tower), (merger_trains ? trained : frozen).take(merger),
          trained.release(),  frozen.release(),   keeping.frozen ? trained.fingerprint(text) : ""};
}

using nlohmann::json;

constexpr int64_t patches_at_once = 4096;  // small pictures are batched; the limit bounds memory

std::vector<Parameter> copies(const std::vector<Parameter>& weights) {
  std::vector<Parameter> leaves;
  for (const Parameter& weight : weights)
    leaves.push_back(
        {weight.name,
         (weight.host.defined() ? weight.host : weight.value).detach().to(at::kFloat).clone().set_requires_grad(true)});
  return leaves;
}

class Qwen25Vl : public Model, public VisionModel, public TrainableInParts, public ManyAdapters, public CopiesWeights {
 public:
  Qwen25Vl(const Settings& settings, Host& host) : end_token_(settings.json().value("end_token", int64_t{-1})) {
    const std::filesystem::path folder = settings.text("path"), base = base_model(folder);
    const bool own = holds_adapter(folder), adapted = own || settings.has("adapter");
    const bool merger_wanted = settings.json().value("merger", false);
    if (adapted && merger_wanted && !settings.json().value("frozen", false))
      throw Error("model.merger", "can't be trained with an adapter, which changes only the text model",
                  "set it to false, or leave the adapter out");
    decoder::ComputeOptions text(settings, adapted, own ? decoder::trained_over(folder) : "");
    precision_ = text.storage.precision;
    const json stored = decoder::read_config_file(base);
    config_ = read_config(stored, (base / "config.json").string());
    saved_config_ = stored.contains("text_config") ? write_config(config_, stored) : stored;
    generation_ = decoder::read_generation_config(base);
    const bool merger_trains = !text.storage.frozen && merger_wanted;
    VlWeights weights = load(config_, base, text.storage, merger_trains);
    fingerprint_ = weights.fingerprint;
    auto adapter = decoder::open_adapter(config_.text, folder, settings, fingerprint_, host);
    decoder::ComputeOptions tower = text, merger = text;
    tower.bfloat16_compute = merger.bfloat16_compute = false;
    tower.storage = tower_keeping(text.storage);
    tower.release = weights.release_tower;
    text.release = merger.release = weights.release_text;
    tower_weights_ = weights.tower;
    merger_ = std::make_unique<Merger>(config_.vision, std::move(weights.merger), merger_trains ? merger : tower);
    tower_ = std::make_unique<Tower>(config_.vision, tower_weights_, std::move(tower));
    decoder_ =
        std::make_unique<decoder::Decoder>(config_.text, std::move(weights.text), std::move(text), std::move(adapter));
  }

  ModelShape shape() const override { return decoder_->shape(); }

  at::Tensor forward(const Batch& batch, Cache* cache) override {
    return decoder_->forward(batch.embedded.defined() ? batch.embedded : embed(batch), batch, cache);
  }

  at::Tensor embed(const Batch& batch) override { return insert_vision_features(decoder_->embed(batch.tokens), batch); }

  std::vector<at::Tensor> hidden_states(const Batch& batch) override {
    std::vector<at::Tensor> states;
    decoder_->forward(embed(batch), batch, nullptr, &states);
    return states;
  }

  std::shared_ptr<const VisionFeatures> encode(std::span<const int32_t> tokens, int64_t first,
                                               const std::vector<Picture>& pictures) override {
    const at::NoGradGuard no_grad;
    for (const Picture& picture : pictures) check_picture(picture, config_.vision);
    auto vision = std::make_shared<VisionFeatures>(place(tokens, first, pictures, config_));
    vision->features = kept(pictures);
    return vision;
  }

  std::map<std::string, at::Tensor> intermediate_results(const std::vector<Picture>& pictures) override {
    for (const Picture& picture : pictures) check_picture(picture, config_.vision);
    std::vector<const Picture*> all;
    for (const Picture& picture : pictures) all.push_back(&picture);
    Traces traces;
    const bool graph = at::GradMode::is_enabled();
    const auto leaves = graph ? make_differentiable_copy() : std::vector<Parameter>();
    const auto units = (graph ? *copied_tower_ : *tower_).units(all, &traces);
    const auto features = (graph && !merger_->trains() ? *studied_merger_ : *merger_).features(units);
    traces["features"] = features;
    traces["kept"] = merger_->trains() ? units : features;
    for (const Parameter& leaf : leaves) traces[leaf.name] = leaf.value;
    return traces;
  }

  at::Tensor head() override { return decoder_->head(); }
  std::vector<Parameter> parameters() override {
    auto all = decoder_->parameters();
    if (merger_->trains()) all.insert(all.end(), merger_->weights().begin(), merger_->weights().end());
    return all;
  }
  void parameters_changed() override {
    decoder_->parameters_changed();
    merger_->parameters_changed();
  }

  int32_t add_adapter(const std::string& folder) override { return decoder_->add_adapter(folder, fingerprint_); }
  void keep_copies(bool keep) override { pages_kept = keep; }

  void save(const std::string& folder) override {
    if (const auto* adapter = decoder_->adapter()) {
      adapter->save(folder, fingerprint_, precision_);
      return decoder::save_generation_config(generation_, end_token_, folder);
    }
    std::vector<Parameter> all = decoder_->stored();
    const auto merger = merger_->stored();
    all.insert(all.end(), tower_weights_.begin(), tower_weights_.end());
    all.insert(all.end(), merger.begin(), merger.end());
    decoder::save(all, folder);
    decoder::save_config(saved_config_, generation_, decoder_->stored_type(), end_token_, folder);
  }

 private:
  // Returns what is stored with the tokens: features, or the merger's input if the merger is trained.
  at::Tensor kept(const std::vector<Picture>& pictures) {
    std::vector<at::Tensor> parts{at::empty({0}, at::kFloat)};
    for (auto next = pictures.begin(); next != pictures.end();) {
      std::vector<const Picture*> group;
      for (int64_t patches = 0; next != pictures.end(); ++next) {
        patches += next->time * next->height * next->width;
        if (!group.empty() && patches > patches_at_once) break;
        group.push_back(&*next);
      }
      const auto units = tower_->units(group);
      parts.push_back(merger_->trains() ? units : merger_->features(units).cpu());
    }
    return at::cat(parts);
  }

  // Makes differentiable copies of the weights that are not parameters, for intermediate_results with gradients.
  std::vector<Parameter> make_differentiable_copy() {
    auto leaves = copies(tower_weights_);
    copied_tower_ = std::make_unique<Tower>(config_.vision, leaves, decoder::ComputeOptions());
    if (merger_->trains()) return leaves;
    const auto merger = copies(merger_->weights());
    studied_merger_ = std::make_unique<Merger>(config_.vision, merger, decoder::ComputeOptions());
    leaves.insert(leaves.end(), merger.begin(), merger.end());
    return leaves;
  }

  // Replaces the placeholders' embeddings by the vision features.
  at::Tensor insert_vision_features(const at::Tensor& rows, const Batch& batch) const {
    std::vector<int64_t> places;
    std::vector<at::Tensor> seen;
    const auto* token = batch.tokens.const_data_ptr<int64_t>();
    for (const Segment& segment : batch.segments) {
      if (!segment.vision) continue;
      const size_t before = places.size();
      for (int64_t row = segment.start; row < segment.start + segment.length; ++row) {
        if (placeholder(token[row], config_)) places.push_back(row);
      }
      TORCH_CHECK(static_cast<int64_t>(places.size() - before) == segment.vision->features.size(0),
                  "there must be as many vision features as its segment has placeholders");
      seen.push_back(segment.vision->features);
    }
    if (places.empty()) return rows;
    const at::Tensor all = at::cat(seen);
    const auto there = [&](const at::Tensor& t) { return t.to(rows.device()); };
    return rows.index_copy(0, there(at::tensor(places, at::kLong)),
                           merger_->trains() ? merger_->features(all) : there(all));
  }

  int64_t end_token_;
  VlConfig config_;
  std::string fingerprint_, precision_;  // of a frozen base
  json saved_config_, generation_;       // config.json in the published layout, and generation_config.json
  std::vector<Parameter> tower_weights_;
  std::unique_ptr<Tower> tower_;
  std::unique_ptr<Merger> merger_;
  std::unique_ptr<Tower>
      copied_tower_;  // copies used by the last intermediate_results with gradients; its graph needs them
  std::unique_ptr<Merger> studied_merger_;
  std::unique_ptr<decoder::Decoder> decoder_;
};

}  // namespace

}  // namespace compeer::qwen2_5_vl

COMPEER_PLUGIN(Model, models, qwen2_5_vl, compeer::qwen2_5_vl::Qwen25Vl,
               R"json(
  "version": "1.1.0",
  "summary": "Qwen2.5-VL models of text and pictures, loaded from a Hugging Face folder.",
  "parameters": {
    "path": {"type": "path", "help": "a model folder: config.json and safetensors"},)json" COMPEER_ADAPTER_SETTINGS
               R"json(
    "frozen": {"type": "boolean", "default": false, "help": "weights are not trained, which saves memory"},
    "precision": {"type": "string", "default": "float32",
      "choices": ["stored", "float32", "bfloat16", "q8_0", "q4_0"],
      "help": "precision of weights in memory; trained: float32 or bfloat16; q8_0, q4_0: as in GGUF files"},
    "compute": {"type": "string", "default": "float32", "choices": ["float32", "bfloat16"],
      "help": "text model's matrix-multiply precision; bfloat16 rounds inputs and accumulates in float32"},
    "merger": {"type": "boolean", "default": false,
      "help": "also train the merger at the end of the vision tower; the rest of the tower is frozen"},
    "recompute_above": {"type": "integer", "default": null, "min": 0,
      "help": "passes with more tokens than this recompute most activations in the backward pass; unset: never"},
    "engine": {"type": "string", "default": "exact", "choices": ["exact", "libtorch"],
      "help": "exact: kernels whose log-probs are bitwise identical on every machine; or libtorch"},
    "device": {"type": "string", "default": "cpu", "choices": ["cpu", "cuda", "auto"],
      "help": "device of the model; a GPU requires engine = libtorch; auto: a GPU if there is one"}
  })json")
