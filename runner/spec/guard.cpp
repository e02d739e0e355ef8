#include "spec/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "spec/text.h"

namespace compeer::spec {

namespace {

constexpr size_t largest = 1 << 20;

// Walks over TOML text, knowing just enough of it to skip comments and strings, and counts what nests: the dots of
// the key being read, and open brackets.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
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
    if (c == '.' && ++dots_ >= deepest_toml) fail("a key of more than 64 parts");
    if (c == '\n' || c == ',' || c == '=' || c == '[' || c == '{') dots_ = 0;
    if ((c == '[' || c == '{') && ++open_ > deepest_toml) fail("values nested more than 64 deep");
    if ((c == ']' || c == '}') && open_ > 0) --open_;
  }

  // A string ends at its closing quotes; one in single quotes marks has no escapes, one in single lines ends there.
  void skip_string(char quote) {
    const bool multi_line = text_.substr(at_, 3) == std::string(3, quote);
    const size_t length = multi_line ? 3 : 1;
    for (at_ += length; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n' && !multi_line) return;  // the parser will complain
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && quote == '"') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (text_.substr(at_, length) == std::string(length, quote)) {
        at_ += length;
        return;
      }
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    size_t begin = text_.substr(0, at_).rfind('\n');
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    throw Error(fmt::format("{}:{}", name_, line_), fmt::format("{}: {}", what, printable(text_.substr(begin, 400))));
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0, line_ = 1, dots_ = 0, open_ = 0;
};

void refuse_line(const std::string& name, size_t line, std::string_view text, const char* what, const char* help) {
  throw Error(fmt::format("{}:{}", name, line), fmt::format("{}: {}", what, printable(text)), help);
}

}  // namespace

void guard_toml(const std::string& text, const std::string& name) {
  if (text.size() > largest)
    throw Error(name, fmt::format("is {} bytes long; at most {} are read", text.size(), largest));
  size_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto row = std::string_view(text).substr(begin, end - begin);
    if (row.find('\0') != std::string_view::npos) {
      refuse_line(name, line, row, "a NUL byte", "TOML is text in UTF-8; is this UTF-16 or a binary file?");
    }
    if (!valid_utf8(row)) refuse_line(name, line, row, "not valid UTF-8", "save the file as UTF-8");
    begin = end + 1;
  }
  Scanner(text, name).scan();
}

}  // namespace compeer::spec
