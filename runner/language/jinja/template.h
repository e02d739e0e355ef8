#pragma once
#include <ctime>
#include <string>
#include <string_view>

#include "language/jinja/evaluator.h"

namespace compeer::language::jinja {

/// A chat template, the program that converts a conversation to the text of a prompt. Supports the subset of Jinja that
/// chat templates use, run as transformers runs it: trim_blocks, lstrip_blocks, no escaping, sandboxed.
class Template {
 public:
  /// Parses `source`; `where` names it in errors. Throws Error (exit code 4: invalid data), with the line, for syntax
  /// errors and unsupported features.
  Template(std::string_view source, std::string where);

  /// Returns the output. `variables`: "messages", "add_generation_prompt" and others. `now`: the time for
  /// strftime_now(). Steps, bytes and depth are limited. Throws Error (exit code 4), with the line, if the template
  /// raises an exception, fails or exceeds a limit.
  Text render(const Variables& variables, std::time_t now) const;

  /// True if the output of several messages is certainly the concatenation of the outputs of each alone, followed by
  /// the generation prompt. False if the template is too complex to tell.
  bool renders_messages_independently() const;

 private:
  std::string where_;  // name of the template in errors
  Block block_;        // the parsed template
};

}  // namespace compeer::language::jinja
