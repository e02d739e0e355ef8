#include "lua/pattern.h"

#include <fmt/format.h>

#include "base/error.h"

namespace compeer::lua {

namespace {

constexpr size_t max_captures = 32;

bool is_upper(int c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(int c) { return c >= 'a' && c <= 'z'; }
bool is_digit(int c) { return c >= '0' && c <= '9'; }
bool is_alnum(int c) { return is_upper(c) || is_lower(c) || is_digit(c); }
bool is_graph(int c) { return c > 32 && c < 127; }

bool in_class(char name, int c) {
  switch (name) {
    case 'a':
      return is_upper(c) || is_lower(c);
    case 'c':
      return c < 32 || c == 127;
    case 'd':
      return is_digit(c);
    case 'g':
      return is_graph(c);
    case 'l':
      return is_lower(c);
    case 'p':
      return is_graph(c) && !is_alnum(c);
    case 's':
      return c == ' ' || (c >= 9 && c <= 13);
    case 'u':
      return is_upper(c);
    case 'w':
      return is_alnum(c);
    default:
      return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');  // x
  }
}

// What stands after a '%': a class, its complement (upper case), or the character itself.
std::bitset<256> escaped(char name) {
  std::bitset<256> set;
  const char lower = is_upper(name) ? static_cast<char>(name - 'A' + 'a') : name;
  if (std::string_view("acdglpsuwx").find(lower) == std::string_view::npos) {
    set.set(static_cast<unsigned char>(name));
    return set;
  }
  for (int c = 0; c < 256; ++c) set[static_cast<size_t>(c)] = in_class(lower, c);
  return lower == name ? set : ~set;
}

[[noreturn]] void malformed(const std::string& why) { throw Error("", "malformed pattern (" + why + ")"); }

}  // namespace

class Compiler {
 public:
  Compiler(std::string_view text, Pattern& pattern) : text_(text), pattern_(pattern) {}

  void compile(bool anchors) {
    if (anchors && !text_.empty() && text_[0] == '^') pattern_.anchored_ = true, ++at_;
    while (at_ < text_.size()) item();
    if (!open_.empty()) malformed("unfinished capture");
  }

 private:
  bool more() const { return at_ < text_.size(); }
  Pattern::Item& add(Pattern::Kind kind) {
    pattern_.items_.push_back({});
    pattern_.items_.back().kind = kind;
    return pattern_.items_.back();
  }

  void item() {
    const char c = text_[at_];
    if (c == '(') return open();
    if (c == ')') return close();
    if (c == '$' && at_ + 1 == text_.size()) return ++at_, void(add(Pattern::Kind::end));
    if (c == '%' && at_ + 1 < text_.size()) {
      const char next = text_[at_ + 1];
      if (next == 'b') return balanced();
      if (next == 'f') return frontier();
      if (is_digit(next)) return back_reference(next);
    }
    auto& single = add(Pattern::Kind::single);
    single.set = set();
    single.repeat = repeat();
  }

  size_t new_capture() {
    if (pattern_.captures_ == max_captures) throw Error("", "too many captures");
    return pattern_.captures_++;
  }

  void open() {
    const bool empty = at_ + 1 < text_.size() && text_[at_ + 1] == ')';
    const size_t capture = new_capture();
    add(empty ? Pattern::Kind::empty_capture : Pattern::Kind::open).capture = capture;
    if (!empty) open_.push_back(capture);
    at_ += empty ? 2 : 1;
  }

  void close() {
    if (open_.empty()) throw Error("", "invalid pattern capture");
    add(Pattern::Kind::close).capture = open_.back();
    open_.pop_back();
    ++at_;
  }

  void balanced() {
    if (at_ + 3 >= text_.size()) malformed("missing arguments to '%b'");
    auto& item = add(Pattern::Kind::balanced);
    item.from = text_[at_ + 2];
    item.to = text_[at_ + 3];
    at_ += 4;
  }

  void frontier() {
    at_ += 2;
    if (!more() || text_[at_] != '[') throw Error("", "missing '[' after '%f' in pattern");
    add(Pattern::Kind::frontier).set = set();
  }

  void back_reference(char digit) {
    const size_t capture = static_cast<size_t>(digit - '1');
    bool known = digit != '0' && capture < pattern_.captures_;
    for (const size_t unfinished : open_) known = known && unfinished != capture;
    if (!known) throw Error("", fmt::format("invalid capture index %{} in pattern", digit));
    add(Pattern::Kind::back_reference).capture = capture;
    at_ += 2;
  }

  std::bitset<256> set() {
    const char c = text_[at_++];
    if (c == '.') return std::bitset<256>().set();
    if (c == '[') return bracket();
    if (c != '%') return std::bitset<256>().set(static_cast<unsigned char>(c));
    if (!more()) malformed("ends with '%'");
    return escaped(text_[at_++]);
  }

  std::bitset<256> bracket() {
    std::bitset<256> set;
    const bool complement = more() && text_[at_] == '^';
    if (complement) ++at_;
    bool first = true;  // a ']' in first place stands for itself
    for (; first || !more() || text_[at_] != ']'; first = false) {
      if (!more()) malformed("missing ']'");
      const char c = text_[at_++];
      if (c == '%') {
        if (!more()) malformed("missing ']'");
        set |= escaped(text_[at_++]);
      } else if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        for (int k = static_cast<unsigned char>(c); k <= static_cast<unsigned char>(text_[at_ + 1]); ++k) {
          set.set(static_cast<size_t>(k));
        }
        at_ += 2;
      } else {
        set.set(static_cast<unsigned char>(c));
      }
    }
    ++at_;
    return complement ? ~set : set;
  }

  Pattern::Repeat repeat() {
    if (!more()) return Pattern::Repeat::once;
    switch (text_[at_++]) {
      case '?':
        return Pattern::Repeat::optional;
      case '*':
        return Pattern::Repeat::greedy;
      case '+':
        return Pattern::Repeat::greedy_once;
      case '-':
        return Pattern::Repeat::lazy;
      default:
        --at_;
        return Pattern::Repeat::once;
    }
  }

  std::string_view text_;
  Pattern& pattern_;
  size_t at_ = 0;
  std::vector<size_t> open_;
};

Pattern::Pattern(std::string_view text, bool anchors) { Compiler(text, *this).compile(anchors); }

}  // namespace compeer::lua
