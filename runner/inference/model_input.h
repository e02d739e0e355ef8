#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "inference/json_lines.h"
#include "inference/open_model.h"
#include "inference/vision_input.h"
#include "language/chat.h"
#include "rollout/engine.h"

namespace compeer::inference {

/// A prompt at which no model has looked.
struct UnseenPrompt {
  std::vector<int32_t> tokens;
  std::vector<Picture> pictures;
};

/// Turns a line of input into tokens: {"ids": [...]}, {"text": "..."} or {"messages": [...]}; further keys of a
/// conversation ("tools") go to its template. A model folder without tokenizer files understands ids only. A message's
/// content may be a list of {"type": "text", "text": ...} and {"type": "image", "image": FILE}; beside ids or text
/// stands "images": [FILE, ...], one for each placeholder in a text, while ids have as many placeholders as the model
/// needs. `special`: special tokens are recognised in what people wrote, too. `speech`: the folder with tokenizer and
/// template, if it is another than the model's.
class ModelInput {
 public:
  ModelInput(const std::filesystem::path& folder, OpenModel& model, bool special = false,
             const std::filesystem::path& speech = {});
  /// Whether a folder has a tokenizer of its own: many an adapter's has not.
  static bool has_tokenizer(const std::filesystem::path& folder);

  /// Throws Error (exit 4) with `where`. `answer`: messages are made ready for the assistant to answer. `room`: how
  /// many tokens must fit behind.
  UnseenPrompt read(const nlohmann::ordered_json& line, const std::string& where, bool answer, int64_t room) const;
  /// A conversation, to be answered, whose parts {"type": "image"} show these PNG and JPEG files in memory. No other is
  /// opened.
  UnseenPrompt read(const nlohmann::ordered_json& conversation, std::span<const std::string> pictures,
                    const std::string& where, int64_t room) const;
  /// What the model sees in it: the only part that computes.
  rollout::Prompt look(UnseenPrompt prompt) const;

  /// Null without tokenizer files.
  const language::Tokenizer* tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }
  /// Throws Error (exit 4) naming the folder if there is none.
  const language::Tokenizer& needed_tokenizer() const;
  /// A conversation's tokens: {"messages": [...], ...}.
  std::vector<int32_t> tokens(nlohmann::ordered_json conversation, const std::string& where, bool answer) const;

 private:
  std::vector<int32_t> tokens_of(const nlohmann::ordered_json& line, const std::string& where, bool answer) const;
  UnseenPrompt fitted(UnseenPrompt prompt, bool repeated, const std::string& where, int64_t room) const;

  std::filesystem::path folder_;
  ModelShape shape_;
  bool special_;
  std::optional<language::Tokenizer> tokenizer_;
  mutable std::optional<language::Chat> chat_;  // made when the first conversation comes: not all folders can
  VisionInput vision_input_;
};

/// Reads prompts from standard input for an engine. A mistake ends the input; it is thrown by `finish`, when everything
/// before it has been answered.
class PromptLines {
 public:
  PromptLines(const ModelInput& input, bool answer, int64_t room) : input_(input), answer_(answer), room_(room) {}

  rollout::Supply next(rollout::Prompt& prompt, bool wait);
  /// Whether the last prompt came as ids.
  bool gave_ids() const { return gave_ids_; }
  void finish() const;

 private:
  rollout::Prompt look(UnseenPrompt prompt) const;

  const ModelInput& input_;
  const bool answer_;
  const int64_t room_;
  JsonLineReader lines_{0};
  uint32_t count_ = 0;
  bool gave_ids_ = false;
  std::optional<Error> mistake_;
};

}  // namespace compeer::inference
