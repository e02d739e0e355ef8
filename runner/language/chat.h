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

/// The chat templates of a model folder, as transformers looks for them: chat_template.jinja, chat_template.json, the
/// key chat_template of tokenizer_config.json (one template or several with names).
class ChatTemplates {
 public:
  /// Throws Error (exit 4) naming the file, and in a template the line, of what is wrong or not supported.
  explicit ChatTemplates(const std::filesystem::path& folder);

  /// ChatML, the format of the Qwen family: what models without a template are given if they know <|im_start|>.
  static ChatTemplates chatml();

  bool empty() const { return templates_.empty(); }

  /// Whether the one for conversations without tools writes each message as if it were alone.
  bool each_alone() const;

  /// The one for a conversation: "default", or "tool_use" if there is one and the conversation has tools.
  const jinja::Template& choose(bool tools) const;

 private:
  ChatTemplates() = default;
  void add(const std::string& name, const std::string& source, const std::string& where);

  struct Named {
    std::string name;
    jinja::Template itself;
  };
  std::string folder_;
  std::vector<Named> templates_;
};

struct Message {
  std::string role, text;
  size_t pictures = 0;  ///< how many are shown before the text
};

/// A conversation as its template writes it.
struct Rendered {
  std::string text;
  std::vector<ByteSpan> content;  ///< what people and models wrote, in order and apart; the rest is the template's
};

/// A message, put into ids once.
struct TokenizedMessage {
  Message message;
  /// What it adds to the ids of any conversation; nothing if that does not show, as its template may look at all of it.
  std::optional<std::vector<int32_t>> ids;
};
/// A conversation that grows, and shares what was said with others.
using TokenizedMessages = std::vector<std::shared_ptr<const TokenizedMessage>>;

/// Conversations as text and as token ids, by the chat template of a model folder; without one, in ChatML if the
/// tokenizer knows <|im_start|>.
/// What people wrote is encoded without recognising special tokens, so nobody can forge a turn; apart from that the ids
/// are those of the whole text.
class Chat {
 public:
  /// Throws Error (exit 4) if there is no template, or one that is wrong or not supported.
  explicit Chat(const Tokenizer& tokenizer);
  /// With the template of another folder.
  Chat(const Tokenizer& tokenizer, const std::filesystem::path& templates);

  /// conversation: {"messages": [{"role", "content", ...}], "add_generation_prompt": bool, "tools": [...], ...}.
  /// Messages and all further keys go to the template as they are: content may be a list of parts, {"type": "text",
  /// "text": ...} or {"type": "image"}. Throws Error (exit 4): the conversation is none, or what the template says
  /// against it.
  Rendered render(const nlohmann::ordered_json& conversation, std::time_t now = std::time(nullptr)) const;

  /// Ids of what was rendered. `special`: special tokens are recognised in what people wrote, too.
  std::vector<int32_t> encode(const Rendered& rendered, bool special = false) const;

  /// The conversation, ready for the assistant to answer; of each picture the placeholder that its template writes.
  std::vector<int32_t> prompt(const std::vector<Message>& messages) const;

  std::shared_ptr<const TokenizedMessage> line(Message message) const;
  /// What `prompt` gives for their messages, which are put into ids again only where they must be.
  std::vector<int32_t> prompt_of(const TokenizedMessages& lines) const;

  /// An answer as the model should produce it, the end token included.
  std::vector<int32_t> answer(const std::string& text) const;

 private:
  Rendered rendered(const std::vector<Message>& messages, bool answer) const;
  void find_opening();

  const Tokenizer& tokenizer_;
  ChatTemplates templates_;
  // How an answer is opened, if the template writes each message as if it were alone, and this behind them.
  std::optional<std::vector<int32_t>> opening_;
};

/// Ids in which the i-th `placeholder` stands counts[i] times: as many as the i-th picture has tokens.
/// Throws Error (exit 4) if there are more or fewer placeholders than counts.
std::vector<int32_t> repeat_placeholders(std::span<const int32_t> ids, int32_t placeholder,
                                         std::span<const int64_t> counts);

}  // namespace compeer::language
