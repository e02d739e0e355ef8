#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/pages.h"
#include "compeer/host.h"
#include "compeer/model.h"
#include "decoder.h"

namespace compeer::decoder {

/// A text model of a decoder family (Llama, Mistral, Qwen), loaded from a folder in Hugging Face layout, or created
/// with random weights from a config and the run's seed. Saves in the same layout. The model plugin of each family
/// derives from this class, which implements the plugin interface by a Decoder.
class TextModel : public Model, public TrainableInParts, public ManyAdapters, public CopiesWeights {
 public:
  /// Opens or creates the model that `settings` (COMPEER_DECODER_SETTINGS) describe. Throws Error or std::runtime_error
  /// if they contradict each other or the folder's model is not of `family`.
  TextModel(const Family& family, const Settings& settings, Host& host);

  ModelShape shape() const override { return decoder_->shape(); }
  at::Tensor forward(const Batch& batch, Cache* cache) override;
  at::Tensor embed(const Batch& batch) override { return decoder_->embed(batch.tokens); }
  std::vector<at::Tensor> hidden_states(const Batch& batch) override;
  at::Tensor head() override { return decoder_->head(); }
  std::vector<Parameter> parameters() override { return decoder_->parameters(); }
  void parameters_changed() override { decoder_->parameters_changed(); }
  void save(const std::string& folder) override;
  int32_t add_adapter(const std::string& folder) override { return decoder_->add_adapter(folder, fingerprint_); }
  void keep_copies(bool keep) override { pages_kept = keep; }

 private:
  // Loads the model, and its LoRA adapter if there is one, from `folder`.
  void from_folder(const std::filesystem::path& folder, const Settings& settings, Host& host);

  const Family family_;
  nlohmann::json config_, generation_;  // contents of config.json and generation_config.json (null: no such file)
  std::string fingerprint_;             // fingerprint of frozen weights, stored in adapters; "": weights are trained
  std::string precision_;               // the setting `precision`, stored in adapters; "": a new model
  std::unique_ptr<Decoder> decoder_;
  int64_t end_token_;  // id of the token that ends an answer, written when saving; -1: as in the files read
};

}  // namespace compeer::decoder
