#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compeer/language_model.h"
#include "compeer/model.h"
#include "language/tokenizer.h"
#include "plugin/host.h"
#include "plugin/open.h"

// Language models inside the run's own process, for plugins that need one: a judge that scores completions, or a
// similarity that embeds texts.

namespace compeer::inference {

/// Returns the name of the model plugin for a model folder, by the model_type in its config.json. Throws Error (exit
/// code 4: invalid data) if there is none.
std::string model_plugin_of(const std::filesystem::path& folder);

/// Opens a model folder as a LanguageModel (frozen, stored precision), with an engine of its own whose KV cache holds
/// the conversations. Sampled answers depend only on (services.seed, SamplingParams::sample_index, the conversation so
/// far). `services`: services for the model plugin; their device and compute type apply; must outlive the result.
/// Throws Error (exit code 4) if the folder can't be used.
std::unique_ptr<LanguageModel> open_language_model(const std::filesystem::path& folder,
                                                   const plugin::Services& services);

/// The language models that the plugins of one process have requested, by folder; each is opened once.
class LanguageModels {
 public:
  explicit LanguageModels(plugin::Services services) : services_(std::move(services)) {}
  /// Returns the model of a folder, opening it on the first call. Valid for the lifetime of this object.
  LanguageModel& in_folder(const std::string& folder);

 private:
  const plugin::Services services_;
  std::map<std::string, std::unique_ptr<LanguageModel>> open_;  // the models opened so far, by folder
};

/// Computes the embedding of each text with the policy, for Host::embed: the mean of the final hidden states of its
/// tokens, independent of the other texts. Returns [text][hidden]. Texts are truncated to the model's positions; an
/// empty text gives zeros. Records no gradient.
std::vector<std::vector<float>> embeddings(plugin::Plugin<Model>& model, const language::Tokenizer& tokenizer,
                                           const std::vector<std::string>& texts);

}  // namespace compeer::inference
