#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language::jinja {

/// A token of a chat template's source.
struct Lexeme {
  enum class Kind {
    data,         // text between tags, which is copied to the output
    block_begin,  // {%
    block_end,    // %}
    print_begin,  // {{
    print_end,    // }}
    name,         // identifier or keyword
    text,         // string literal
    integer,      // literal without decimal point
    decimal,      // literal with decimal point or exponent
    sign,         // operator or bracket
    end,          // end of the template, always the last token
  };
  Kind kind;
  std::string text;  ///< data after white space control, string literals unescaped, other tokens as written
  int line;          ///< from 1
};

/// Splits a template into tokens. White space control is Jinja's with trim_blocks and lstrip_blocks, as for chat
/// templates: removes the line break after a block, and white space before a block at the start of a line; a minus sign
/// removes all white space, a plus sign keeps it. Throws Error (exit 4), naming `where` and the line.
std::vector<Lexeme> tokens(std::string_view source, const std::string& where);

/// Throws Error (exit 4) located at "WHERE, line LINE".
[[noreturn]] void fail_at(const std::string& where, int line, const std::string& what, const std::string& help = "");

}  // namespace compeer::language::jinja
