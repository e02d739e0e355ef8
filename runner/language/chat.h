#pragma once
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "language/jinja/template.h"
#include "language/tokenizer.h"

namespace compeer::language {

/// The chat templates of a model folder, searched as transformers does: chat_template.jinja, chat_template.json, then
/// the key chat_template of tokenizer_config.json (one template, or a list of named ones).
class ChatTemplates {
 public:
  /// Empty if the folder has no template. Throws Error (exit 4), naming the file (and the line of a template), if one
  /// is invalid or uses an unsupported feature.
  explicit ChatTemplates(const std::filesystem::path& folder);

  /// Returns the ChatML template of the Qwen family.
  static ChatTemplates chatml();

  bool empty() const { return templates_.empty(); }

  /// True if the default template certainly renders each message independently of the others
  /// (`jinja::Template::renders_messages_independently`).
  bool renders_messages_independently() const;

  /// Returns the template "tool_use" if there is one and `tools` is true (the conversation has tools), otherwise
  /// "default". Throws Error (exit 4) if there is no "default".
  const jinja::Template& choose(bool tools) const;

 private:
  ChatTemplates() = default;
  // Parses and adds a template. `where`: its file, for errors.
  void add(const std::string& name, const std::string& source, const std::string& where);

  struct Named {
    std::string name;  // "default", or a name that the list gives it
    jinja::Template itself;
  };
  std::string folder_;  // for errors
  std::vector<Named> templates_;
};

/// A message of a conversation.
struct Message {
  std::string role;  ///< "system", "user", "assistant" or another role that the template accepts
  std::string text;
  size_t pictures = 0;  ///< number of pictures before the text
};

/// A conversation as rendered by its chat template.
struct Rendered {
  std::string text;
  /// Spans of `text` that come from the conversation, ascending, not overlapping; the rest comes from the template.
  std::vector<ByteSpan> content;
};

/// A message with its token ids, computed once.
struct TokenizedMessage {
  Message message;
  /// The ids that the message contributes to any conversation; empty if they may depend on the rest of the
  /// conversation.
  std::optional<std::vector<int32_t>> ids;
};
/// A conversation. Conversations with the same beginning can share its messages.
using TokenizedMessages = std::vector<std::shared_ptr<const TokenizedMessage>>;

/// Converts conversations to text and token ids with the chat template of a model folder, or with ChatML if the folder
/// has none and the tokenizer has <|im_start|>.
///
/// Special tokens are not recognised in the contents of messages, so that a message can't forge a turn; otherwise the
/// ids are those of the whole text. Keeps a reference to the tokenizer. Thread-safe.
class Chat {
 public:
  /// Throws Error (exit 4) if there is no chat template, or it is invalid or uses an unsupported feature.
  explicit Chat(const Tokenizer& tokenizer);
  /// The same with the template of the folder `templates`.
  Chat(const Tokenizer& tokenizer, const std::filesystem::path& templates);

  /// Renders {"messages": [{"role", "content", ...}], "add_generation_prompt": bool, "tools": [...], ...}. All keys are
  /// passed to the template unchanged; content may be a list of parts, {"type": "text", "text": ...} or
  /// {"type": "image"}. `now`: the time for strftime_now(). Throws Error (exit 4) if the conversation is malformed or
  /// the template refuses it.
  Rendered render(const nlohmann::ordered_json& conversation, std::time_t now = std::time(nullptr)) const;

  /// Returns the ids of a rendered conversation. `special`: recognise special tokens in the contents of messages, too.
  std::vector<int32_t> encode(const Rendered& rendered, bool special = false) const;

  /// Returns the ids of the conversation with the generation prompt. Each picture is the placeholder that the template
  /// writes.
  std::vector<int32_t> prompt(const std::vector<Message>& messages) const;

  /// Tokenizes a message.
  std::shared_ptr<const TokenizedMessage> tokenize(Message message) const;
  /// Returns the same ids as `prompt` for these messages. Concatenates the stored ids if all messages have them;
  /// otherwise encodes the whole conversation.
  std::vector<int32_t> prompt_of(const TokenizedMessages& lines) const;

  /// Returns the ids that the model should generate for this answer, including the end token.
  std::vector<int32_t> answer(const std::string& text) const;

 private:
  // Renders messages. `answer`: adds the generation prompt, which an answer follows.
  Rendered rendered(const std::vector<Message>& messages, bool answer) const;
  // Sets `opening_`.
  void find_opening();

  const Tokenizer& tokenizer_;
  ChatTemplates templates_;
  // Ids of the generation prompt, if the template renders each message, and then it, independently; otherwise empty.
  std::optional<std::vector<int32_t>> opening_;
};

/// Returns `ids` with the i-th `placeholder` repeated counts[i] times, the number of tokens of the i-th picture.
/// Throws Error (exit 4) if the number of placeholders differs from that of counts.
std::vector<int32_t> repeat_placeholders(std::span<const int32_t> ids, int32_t placeholder,
                                         std::span<const int64_t> counts);

}  // namespace compeer::language
