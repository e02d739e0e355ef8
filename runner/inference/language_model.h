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

namespace compeer::inference {

/// The model plugin that reads a model folder: its config.json names it. Throws Error (exit 4) if none does.
std::string model_plugin_of(const std::filesystem::path& folder);

/// Host::language model: opens a model folder to use it, with an engine of its own, whose pages hold its conversations.
/// What is drawn is a function of (seed, the sampling's draw, all that was said in the conversation) alone.
std::unique_ptr<LanguageModel> open_language_model(const std::filesystem::path& folder,
                                                   const plugin::Services& services);

/// Model folders that plugins speak with, each opened once.
class LanguageModels {
 public:
  explicit LanguageModels(plugin::Services services) : services_(std::move(services)) {}
  LanguageModel& in(const std::string& folder);

 private:
  const plugin::Services services_;
  std::map<std::string, std::unique_ptr<LanguageModel>> open_;
};

/// What the model makes of each text by itself, as Host::embed promises it: the mean of the hidden states of its
/// tokens, one text of a batch not seeing another. No gradient.
std::vector<std::vector<float>> embeddings(plugin::Plugin<Model>& model, const language::Tokenizer& tokenizer,
                                           const std::vector<std::string>& texts);

}  // namespace compeer::inference
