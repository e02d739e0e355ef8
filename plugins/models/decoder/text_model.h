#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/pages.h"
#include "compeer/host.h"
#include "compeer/model.h"
#include "decoder.h"

namespace compeer::decoder {

/// A text model of a decoder family, loaded from a Hugging Face folder or created from a config and the run's seed.
/// Saves in the same layout. The plugin of a family derives from it and uses the settings in settings.h.
class TextModel : public Model, public TrainableInParts, public ManyAdapters, public CopiesWeights {
 public:
  /// Throws Error or std::runtime_error if the settings contradict each other or the folder does not fit the family.
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
  void from_folder(const std::filesystem::path& folder, const Settings& settings, Host& host);

  const Family family_;
  nlohmann::json config_, generation_;   ///< contents of config.json and generation_config.json
  std::string fingerprint_, precision_;  ///< of a frozen base
  std::unique_ptr<Decoder> decoder_;
  int64_t end_token_;
};

}  // namespace compeer::decoder
