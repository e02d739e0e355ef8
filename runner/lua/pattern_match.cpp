#include <utility>

#include "base/error.h"
#include "lua/pattern.h"

namespace compeer::lua {

// Captures are never taken back on failure: items are met in order, so whatever is read later on a path
// has been written on that same path.
class Matcher {
 public:
  Matcher(const Pattern& pattern, std::string_view subject, const std::function<void(uint64_t)>& spend)
      : pattern_(pattern), subject_(subject), spend_(spend), captures_(pattern.captures_) {}

  // The end of a match of items from `i` on at `at`, or `none`.
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
  static constexpr int max_depth = 200;  // of the C++ stack
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
