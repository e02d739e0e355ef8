#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "language/jinja/template.h"

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

}  // namespace compeer::language
