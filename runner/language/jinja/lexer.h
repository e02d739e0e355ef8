#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language::jinja {

struct Lexeme {
  enum class Kind { data, block_begin, block_end, print_begin, print_end, name, text, integer, decimal, sign, end };
  Kind kind;
  std::string text;  ///< data and texts as they are meant, the rest as written
  int line;
};

/// A template in pieces. White space around tags goes as Jinja does it with trim_blocks and lstrip_blocks, which is how
/// chat templates are run: the line break after a block goes, and spaces before a block that begins its line; a minus
/// takes all white space, a plus keeps it. Throws Error (exit 4) naming `where` and the line.
std::vector<Lexeme> tokens(std::string_view source, const std::string& where);

/// Error (exit 4): "where, line 12: what".
[[noreturn]] void fail_at(const std::string& where, int line, const std::string& what, const std::string& help = "");

}  // namespace compeer::language::jinja
