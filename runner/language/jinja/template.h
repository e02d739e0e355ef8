#pragma once
#include <ctime>
#include <string>
#include <string_view>

#include "language/jinja/evaluator.h"

namespace compeer::language::jinja {

/// A chat template: the part of Jinja that README.md lists, run as transformers runs it (trim_blocks, lstrip_blocks,
/// nothing escaped, no access to anything outside).
class Template {
 public:
  /// Throws Error (exit 4) naming `where`, the line, and what is wrong or not supported.
  Template(std::string_view source, std::string where);

  /// Throws Error (exit 4) naming `where` and the line. What templates may cost is bounded.
  /// `now` is what strftime_now() tells.
  Text render(const Variables& variables, std::time_t now) const;

  /// Whether it shows that it writes of several messages what it writes of each alone.
  bool each_alone() const;

 private:
  std::string where_;
  Block block_;
};

}  // namespace compeer::language::jinja
