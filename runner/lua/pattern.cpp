// Compiles and matches Lua patterns, with a count of the steps.
#include "lua/pattern.h"

#include <fmt/format.h>

#include <utility>

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

// Returns the set for the character after a '%': a class, its complement (upper case), or the character itself.
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
    bool first = true;  // a ']' in first position is an ordinary character
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

// Captures need not be reset on failure: items are visited in order, so every capture that is read later on a path was
// written on the same path.
class Matcher {
 public:
  Matcher(const Pattern& pattern, std::string_view subject, const std::function<void(uint64_t)>& spend)
      : pattern_(pattern), subject_(subject), spend_(spend), captures_(pattern.captures_) {}

  // Returns the end of a match of the items from `i` on that starts at `at`, or `none`.
  size_t match(size_t i, size_t at) {
    if (++depth_ > max_depth) throw Error("", "pattern too complex");
    const size_t end = walk(i, at);
    --depth_;
    return end;
  }
  std::vector<Pattern::Capture>& captures() { return captures_; }
  void settle() { spend_(std::exchange(steps_, 0)); }

 private:
  void step(uint64_t n = 1) {
    if ((steps_ += n) > 4096) settle();
  }
  bool fits(const Pattern::Item& item, size_t at) const {
    return at < subject_.size() && item.set[static_cast<unsigned char>(subject_[at])];
  }
  size_t byte(size_t at) const { return at < subject_.size() ? static_cast<unsigned char>(subject_[at]) : 0; }

  size_t walk(size_t i, size_t at) {
    for (; i < pattern_.items_.size(); ++i) {
      step();
      const auto& item = pattern_.items_[i];
      switch (item.kind) {
        case Pattern::Kind::single:
          if (item.repeat != Pattern::Repeat::once) return repeated(item, i, at);
          if (!fits(item, at)) return Pattern::none;
          ++at;
          break;
        case Pattern::Kind::open:
          captures_[item.capture].start = at;
          break;
        case Pattern::Kind::close:
          captures_[item.capture].length = static_cast<ptrdiff_t>(at - captures_[item.capture].start);
          break;
        case Pattern::Kind::empty_capture:
          captures_[item.capture] = {at, Pattern::position};
          break;
        case Pattern::Kind::back_reference:
          if (!repeat_of(captures_[item.capture], at)) return Pattern::none;
          break;
        case Pattern::Kind::balanced:
          if (!balanced(item, at)) return Pattern::none;
          break;
        case Pattern::Kind::frontier:
          if ((at > 0 && item.set[byte(at - 1)]) || !item.set[byte(at)]) return Pattern::none;
          if (at == 0 && item.set[0]) return Pattern::none;
          break;
        case Pattern::Kind::end:
          if (at != subject_.size()) return Pattern::none;
          break;
      }
    }
    return at;
  }

  size_t repeated(const Pattern::Item& item, size_t i, size_t at) {
    if (item.repeat == Pattern::Repeat::lazy) {
      for (;; ++at, step()) {
        if (const size_t end = match(i + 1, at); end != Pattern::none) return end;
        if (!fits(item, at)) return Pattern::none;
      }
    }
    const size_t most = item.repeat == Pattern::Repeat::optional ? 1 : Pattern::none;
    const size_t least = item.repeat == Pattern::Repeat::greedy_once ? 1 : 0;
    size_t count = 0;
    while (count < most && fits(item, at + count)) ++count, step();
    for (;; --count) {
      if (count < least) return Pattern::none;
      if (const size_t end = match(i + 1, at + count); end != Pattern::none) return end;
      if (count == 0) return Pattern::none;
    }
  }

  bool repeat_of(const Pattern::Capture& capture, size_t& at) {
    if (capture.length == Pattern::position) return false;
    const auto text = subject_.substr(capture.start, static_cast<size_t>(capture.length));
    step(text.size());
    if (subject_.substr(at, text.size()) != text) return false;
    at += text.size();
    return true;
  }

  bool balanced(const Pattern::Item& item, size_t& at) {
    if (at >= subject_.size() || subject_[at] != item.from) return false;
    size_t level = 1;
    for (size_t k = at + 1; k < subject_.size(); ++k, step()) {
      if (subject_[k] == item.to) {
        if (--level == 0) return at = k + 1, true;
      } else if (subject_[k] == item.from) {
        ++level;
      }
    }
    return false;
  }

  const Pattern& pattern_;
  std::string_view subject_;
  const std::function<void(uint64_t)>& spend_;
  std::vector<Pattern::Capture> captures_;
  uint64_t steps_ = 0;
  static constexpr int max_depth = 200;  // limits the recursion of `match`
  int depth_ = 0;
};

bool Pattern::search(std::string_view subject, size_t start, const std::function<void(uint64_t)>& spend, Match& match,
                     size_t avoid) const {
  Matcher matcher(*this, subject, spend);
  bool found = false;
  for (size_t at = start; !found && at <= subject.size(); ++at) {
    const size_t end = matcher.match(0, at);
    found = end != none && end != avoid;
    if (found) match = {at, end, std::move(matcher.captures())};
    if (anchored_) break;
  }
  matcher.settle();
  return found;
}

}  // namespace compeer::lua
