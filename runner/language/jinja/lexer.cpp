// Splits a template into text and the tokens inside tags.
#include "language/jinja/lexer.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

#include "base/error.h"
#include "language/jinja/text.h"

namespace compeer::language::jinja {

void fail_at(const std::string& where, int line, const std::string& what, const std::string& help) {
  throw Error(fmt::format("{}, line {}", where, line), what, help, Exit::data);
}

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Converts line ends to "\n" and removes the last one, as Jinja does.
std::string lines_of(std::string_view source) {
  std::string text;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    text += source[i] == '\r' ? '\n' : source[i];
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Lexer {
 public:
  Lexer(std::string_view source, const std::string& where) : source_(lines_of(source)), where_(where) {}

  std::vector<Lexeme> result() {
    while (at_ < source_.size()) data();
    add(Lexeme::Kind::end, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { fail_at(where_, line_, what); }
  void add(Lexeme::Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
  bool here(std::string_view text) const { return std::string_view(source_).substr(at_).starts_with(text); }
  char next() const { return at_ < source_.size() ? source_[at_] : '\0'; }

  // Advances by n bytes, counting lines.
  void skip(size_t n) {
    const size_t end = std::min(at_ + n, source_.size());
    for (; at_ < end; ++at_) line_ += source_[at_] == '\n';
  }
  void skip_space() {
    while (at_ < source_.size()) {
      const auto c = first_character(std::string_view(source_).substr(at_));
      if (!is_blank(c.code)) return;
      skip(c.length);
    }
  }

  // Reads the text up to the next tag, then the tag.
  void data() {
    size_t tag = source_.find('{', at_);
    while (tag != std::string::npos &&
           (tag + 1 == source_.size() || std::string_view("{%#").find(source_[tag + 1]) == std::string_view::npos))
      tag = source_.find('{', tag + 1);
    if (tag == std::string::npos) {
      const std::string rest = source_.substr(at_);
      add(Lexeme::Kind::data, rest);
      skip(rest.size());
      return;
    }
    const char kind = source_[tag + 1];
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    plain(source_.substr(at_, tag - at_), kind, sign);
    skip(tag - at_);
    if (kind == '#') return comment();
    if (kind == '%' && raw()) return;
    const size_t length = sign == '-' || sign == '+' ? 3 : 2;
    add(kind == '{' ? Lexeme::Kind::print_begin : Lexeme::Kind::block_begin, "");
    skip(length);
    tag_body(kind == '{');
  }

  // Adds text before a tag, without the white space that the tag removes.
  void plain(std::string text, char kind, char sign) {
    if (sign == '-') {
      text = strip(Text(text), false, true).bytes();
    } else if (sign != '+' && kind != '{') {
      const size_t line = text.rfind('\n') + 1;
      if ((line > 0 || line_starts_) && strip(Text(text.substr(line)), true, false).empty()) text.resize(line);
    }
    if (!text.empty()) add(Lexeme::Kind::data, std::move(text));
  }

  // Skips the end of a tag, n bytes, and the white space after it that the tag removes.
  void close(size_t n, bool minus, bool line_break) {
    skip(n);
    const size_t before = at_;
    if (minus) skip_space();
    if (line_break && next() == '\n') skip(1);
    line_starts_ = at_ > before && source_[at_ - 1] == '\n';
  }

  void comment() {
    const size_t end = source_.find("#}", at_ + 2);
    if (end == std::string::npos) fail("a comment is not closed: '#}' is missing");
    const char sign = end > at_ + 2 ? source_[end - 1] : '\0';
    skip(end - at_);
    close(2, sign == '-', sign != '-' && sign != '+');
  }

  // {% raw %}: everything up to {% endraw %} is text.
  bool raw() {
    size_t at = at_ + 2;
    if (!word_in_tag(at, "raw") || (at < source_.size() && source_[at] == '+')) return false;
    const bool minus = source_.compare(at, 1, "-") == 0;
    skip(at + (minus ? 1 : 0) - at_);
    close(2, minus, false);
    for (size_t tag = source_.find("{%", at_); tag != std::string::npos; tag = source_.find("{%", tag + 1)) {
      size_t end = tag + 2;
      if (!word_in_tag(end, "endraw")) continue;
      plain(source_.substr(at_, tag - at_), '%', source_[tag + 2]);
      const char sign = source_[end];
      const bool signed_end = sign == '-' || sign == '+';
      skip(end + (signed_end ? 1 : 0) - at_);
      close(2, sign == '-', !signed_end);
      return true;
    }
    fail("'raw' is not closed: 'endraw' is missing");
  }

  // True if a tag that begins before `at` contains just this word; moves `at` after it.
  bool word_in_tag(size_t& at, std::string_view word) const {
    const std::string_view all = source_;
    if (at < all.size() && (all[at] == '-' || all[at] == '+')) ++at;
    while (at < all.size() && is_space(all[at])) ++at;
    if (!all.substr(at).starts_with(word)) return false;
    at += word.size();
    while (at < all.size() && is_space(all[at])) ++at;
    const auto end = all.substr(at);
    return end.starts_with("%}") || end.starts_with("-%}") || end.starts_with("+%}");
  }

  // Reads the tokens between {{ and }}, or {% and %}. Inside brackets, }} and %} don't end the tag.
  void tag_body(bool prints) {
    const std::string_view end = prints ? "}}" : "%}";
    std::string open;
    for (;;) {
      skip_space();
      if (at_ == source_.size()) fail(fmt::format("a tag is not closed: '{}' is missing", end));
      const bool minus = here("-" + std::string(end)), plus = !prints && here("+" + std::string(end));
      if (open.empty() && (minus || plus || here(end))) {
        add(prints ? Lexeme::Kind::print_end : Lexeme::Kind::block_end, "");
        return close(minus || plus ? 3 : 2, minus, !prints && !minus && !plus);
      }
      piece(open);
    }
  }

  void piece(std::string& open) {
    const char c = next();
    if (c == '\'' || c == '"') return text(c);
    if (is_digit(c)) return number();
    if (begins_name(c)) {
      size_t end = at_;
      while (end < source_.size() && (begins_name(source_[end]) || is_digit(source_[end]))) ++end;
      add(Lexeme::Kind::name, source_.substr(at_, end - at_));
      return skip(end - at_);
    }
    sign(open);
  }

  void sign(std::string& open) {
    static constexpr std::string_view two[] = {"//", "**", "==", "!=", ">=", "<="};
    for (const auto sign : two) {
      if (!here(sign)) continue;
      add(Lexeme::Kind::sign, std::string(sign));
      return skip(2);
    }
    const char c = next();
    if (std::string_view("+-/*%~[](){}<>=.:|,;").find(c) == std::string_view::npos)
      fail(fmt::format("unexpected character '{}'", c));
    if (c == '(' || c == '[' || c == '{') open += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c == ')' || c == ']' || c == '}') {
      if (!open.ends_with(c)) fail(fmt::format("unexpected '{}'", c));
      open.pop_back();
    }
    add(Lexeme::Kind::sign, std::string(1, c));
    skip(1);
  }

  // 12, 1_000, 1.5, 1e3
  void number() {
    const auto digits = [&](size_t at) {
      while (at < source_.size() && (is_digit(source_[at]) || (source_[at] == '_' && at > at_))) ++at;
      return at;
    };
    const auto digit_at = [&](size_t at) { return at < source_.size() && is_digit(source_[at]); };
    size_t end = digits(at_);
    bool decimal = false;
    if (end < source_.size() && source_[end] == '.' && digit_at(end + 1)) {
      decimal = true;
      end = digits(end + 1);
    }
    if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
      const size_t sign = end + 1 < source_.size() && (source_[end + 1] == '+' || source_[end + 1] == '-') ? 1 : 0;
      if (digit_at(end + 1 + sign)) {
        decimal = true;
        end = digits(end + 1 + sign);
      }
    }
    std::string text = source_.substr(at_, end - at_);
    std::erase(text, '_');
    if (text.size() > 40) fail("a number of more than 40 digits");
    add(decimal ? Lexeme::Kind::decimal : Lexeme::Kind::integer, text);
    skip(end - at_);
  }

  void text(char quote) {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail("a string is not closed");
    add(Lexeme::Kind::text, unescaped(std::string_view(source_).substr(at_ + 1, end - at_ - 1)));
    skip(end + 1 - at_);
  }

  // Python's escapes; an unknown one is kept unchanged.
  std::string unescaped(std::string_view text) const {
    static constexpr std::string_view letters = "\\'\"abfnrtv", meant = "\\'\"\a\b\f\n\r\t\v";
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        result += text[i];
        continue;
      }
      const char c = text[++i];
      const size_t known = letters.find(c);
      const size_t hex = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
      if (known != std::string_view::npos) {
        result += meant[known];
      } else if (hex > 0) {
        result += character(text.substr(i + 1, hex), hex);
        i += hex;
      } else if (is_digit(c) || c == 'N') {
        fail(fmt::format("the escape '\\{}' is not supported", c));
      } else if (c != '\n') {
        result += '\\';
        result += c;
      }
    }
    return result;
  }

  std::string character(std::string_view digits, size_t wanted) const {
    const bool all_hex = digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    const auto code = all_hex && digits.size() == wanted ? std::stoll(std::string(digits), nullptr, 16) : -1;
    if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      fail(fmt::format("the escape '{}' is not a character", digits));
    utf8proc_uint8_t bytes[4];
    const auto n = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
    return {reinterpret_cast<char*>(bytes), static_cast<size_t>(n)};
  }

  std::string source_;
  const std::string& where_;
  std::vector<Lexeme> tokens_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_starts_ = true;  // at the start of a line
};

}  // namespace

std::vector<Lexeme> tokens(std::string_view source, const std::string& where) { return Lexer(source, where).result(); }

}  // namespace compeer::language::jinja
