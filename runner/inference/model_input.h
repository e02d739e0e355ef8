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

/// A prompt whose pictures have not been through the vision tower yet.
struct PromptWithPictures {
  std::vector<int32_t> tokens;    ///< with as many placeholders as the pictures need
  std::vector<Picture> pictures;  ///< preprocessed, in order
};

/// Converts JSON input to tokens: {"ids": [...]}, {"text": "..."} or {"messages": [...]}. All keys of a conversation
/// ("tools") are passed to its chat template. Without tokenizer files, only ids are accepted.
///
/// Pictures: a message's content may be a list of {"type": "text", "text": ...} and {"type": "image", "image": FILE}.
/// With ids or text, "images": [FILE, ...] lists the pictures; a text has one placeholder token per picture, ids have
/// as many as the model needs.
///
/// Reading is thread-safe once `tokens` has returned; `compute_vision` uses the model.
class ModelInput {
 public:
  /// `folder`: the model's. `special`: recognise special tokens in texts and messages, too. `tokenizer_folder`: folder
  /// with tokenizer and chat template, if not `folder`. Keeps a reference to `model`.
  ModelInput(const std::filesystem::path& folder, OpenModel& model, bool special = false,
             const std::filesystem::path& tokenizer_folder = {});
  /// True if a folder has tokenizer files of its own; adapter folders often have none.
  static bool has_tokenizer(const std::filesystem::path& folder);

  /// Converts one line of input. `answer`: add the generation prompt to messages (unless the line has
  /// "add_generation_prompt"). `room`: number of positions that must be left after the prompt. Throws Error (exit 4),
  /// located at `where`, if the line is invalid or too long.
  PromptWithPictures read(const nlohmann::ordered_json& line, const std::string& where, bool answer,
                          int64_t room) const;
  /// The same for a conversation whose parts {"type": "image"} are `pictures`, PNG and JPEG files in memory, in order.
  /// Opens no file. Adds the generation prompt.
  PromptWithPictures read(const nlohmann::ordered_json& conversation, std::span<const std::string> pictures,
                          const std::string& where, int64_t room) const;
  /// Computes the vision features of a prompt. The only function here that runs the model.
  rollout::Prompt compute_vision(PromptWithPictures prompt) const;

  /// Returns the tokenizer; null without tokenizer files.
  const language::Tokenizer* tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }
  /// Returns the tokenizer. Throws Error (exit 4), naming the folder, if there is none.
  const language::Tokenizer& needed_tokenizer() const;
  /// Returns the tokens of a conversation {"messages": [...], ...}, with one placeholder per picture. Other arguments
  /// and errors as for `read`.
  std::vector<int32_t> tokens(nlohmann::ordered_json conversation, const std::string& where, bool answer) const;

 private:
  // Returns the tokens of a line of any form.
  std::vector<int32_t> tokens_of(const nlohmann::ordered_json& line, const std::string& where, bool answer) const;
  // Expands placeholders, unless they are `repeated`, and throws if the prompt leaves fewer than `room` positions.
  PromptWithPictures fitted(PromptWithPictures prompt, bool repeated, const std::string& where, int64_t room) const;

  std::filesystem::path folder_;
  ModelShape shape_;
  bool special_;  // recognise special tokens in texts and messages
  std::optional<language::Tokenizer> tokenizer_;
  mutable std::optional<language::Chat> chat_;  // created for the first conversation: not all folders have a template
  VisionInput vision_input_;
};

/// A rollout::PromptSource that reads JSON lines from standard input. An invalid line ends the input; its error is
/// thrown by `finish`, after the prompts before it have been processed.
class PromptLines {
 public:
  /// Arguments as for `ModelInput::read`. Keeps a reference to `input`.
  PromptLines(const ModelInput& input, bool answer, int64_t room) : input_(input), answer_(answer), room_(room) {}

  /// Reads the next line; the arguments and result are those of a PromptSource.
  rollout::Supply next(rollout::Prompt& prompt, bool wait);
  /// True if the last prompt was given as ids.
  bool gave_ids() const { return gave_ids_; }
  /// Throws the Error of an invalid line, if there was one.
  void finish() const;

 private:
  rollout::Prompt compute_vision(PromptWithPictures prompt) const;

  const ModelInput& input_;
  const bool answer_;
  const int64_t room_;
  JsonLineReader lines_{0};  // of standard input
  uint32_t count_ = 0;       // number of prompts so far
  bool gave_ids_ = false;
  std::optional<Error> mistake_;  // error of the invalid line that ended the input
};

}  // namespace compeer::inference
