// Rejects TOML text on which the parser (toml++) would crash or misread, before the parser is called.
#include "spec/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "spec/text.h"

namespace compeer::spec {

namespace {

constexpr size_t largest = 1 << 20;

// Scans TOML text with just enough grammar to skip comments and strings and to distinguish keys from values. Counts the
// dots of the current key and the open brackets.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void scan() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        if (in_value_ && begun_) fail("a quote within a value", "put quotes around the whole value");
        begun_ = true;
        skip_string(c);
      } else {
        count(c);
        ++at_;
      }
    }
  }

 private:
  void count(char c) {
    if (c == '\n') ++line_;
    if (!ascii(at_)) fail("a character that is only allowed in quoted text", "write the key or value in quotes");
    if (c == '.' && ++dots_ >= deepest_toml) fail("a key of more than 64 parts");
    if (c == '\n' || c == ',' || c == '=' || c == '[' || c == '{') dots_ = 0;
    if ((c == '[' || c == '{') && open_.size() == deepest_toml) fail("values nested more than 64 deep");
    if (c == '[' || c == '{') open_ += c == '[' && !in_value_ ? '(' : c;
    if ((c == ']' || c == '}') && !open_.empty()) open_.pop_back();
    expect(c);
  }

  // Updates whether a key or a value is expected after `c`, and whether it has begun. The parser reads a number or date
  // up to white space or a comma, including quotes and brackets, and mishandles non-ASCII letters in it.
  void expect(char c) {
    if (c == '\n' && open_.empty()) {
      in_value_ = begun_ = false;
    } else if (c == ',') {
      in_value_ = open_.ends_with('[');
      begun_ = false;
    } else if (c == '=' || c == '[' || c == '{') {
      if (in_value_ && begun_) return;
      in_value_ = c == '=' || (c == '[' && in_value_);
      begun_ = false;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      begun_ = true;
    }
  }

  // Skips a string. A multi-line string ends with three to five quotes, of which the first two may belong to its text.
  // An unterminated single-line string is skipped up to the end of the line; the parser reports it.
  void skip_string(char quote) {
    const bool multi_line = text_.substr(at_, 3) == std::string(3, quote);
    const size_t length = multi_line ? 3 : 1;
    for (at_ += length; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n' && !multi_line) return;
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && quote == '"') {
        escape(multi_line);
      } else if (text_.substr(at_, length) == std::string(length, quote)) {
        at_ += length;
        for (size_t more = 0; multi_line && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
        return;
      }
    }
  }

  // Skips the character after a backslash unless it is a newline, which skip_string counts. After a line-ending
  // backslash the parser trims white space, and mishandles a non-ASCII letter that follows it.
  void escape(bool multi_line) {
    size_t next = at_ + 1;
    while (multi_line && next < text_.size() && std::string_view(" \t\r\n").find(text_[next]) != std::string_view::npos)
      ++next;
    if (!ascii(next)) {
      fail("a backslash that starts no valid escape sequence",
           "start the line after a line-ending backslash with an ASCII character");
    }
    if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
  }

  bool ascii(size_t at) const { return at >= text_.size() || static_cast<unsigned char>(text_[at]) < 0x80; }

  [[noreturn]] void fail(const std::string& what, const std::string& help = "") const {
    size_t begin = text_.substr(0, at_).rfind('\n');
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    const auto row = text_.substr(begin, std::min(text_.find('\n', begin), begin + 400) - begin);
    throw Error(fmt::format("{}:{}", name_, line_), fmt::format("{}: {}", what, printable(row)), help);
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0, line_ = 1, dots_ = 0;
  std::string open_;  // stack of open brackets; '(' is a bracket of a table header
  bool in_value_ = false, begun_ = false;
};

void refuse_line(const std::string& name, size_t line, std::string_view text, const char* what, const char* help) {
  throw Error(fmt::format("{}:{}", name, line), fmt::format("{}: {}", what, printable(text)), help);
}

}  // namespace

void guard_toml(const std::string& text, const std::string& name) {
  if (text.size() > largest)
    throw Error(name, fmt::format("is {} bytes long; at most {} are read", text.size(), largest));
  refuse_utf16(text, name, Exit::spec);
  size_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto row = std::string_view(text).substr(begin, end - begin);
    if (row.find('\0') != std::string_view::npos) {
      refuse_line(name, line, row, "a NUL byte", "save the file as UTF-8; this may be UTF-16 or a binary file");
    }
    if (!valid_utf8(row)) refuse_line(name, line, row, "not valid UTF-8", "save the file as UTF-8");
    begin = end + 1;
  }
  Scanner(text, name).scan();
}

}  // namespace compeer::spec
