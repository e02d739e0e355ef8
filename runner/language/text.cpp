// UTF-8, Unicode normalization and character classes with utf8proc.
#include "language/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace compeer::language {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr size_t long_run = 64;

const utf8proc_uint8_t* units(std::string_view text) { return reinterpret_cast<const utf8proc_uint8_t*>(text.data()); }

// Length of the longest prefix that could begin a character, which one U+FFFD replaces. `whole`: length of that
// character.
size_t broken_length(std::string_view bytes, size_t& whole) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  whole = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xC2 && lead < 0xE0 ? 2 : 1;
  size_t n = 1;
  for (; n < whole && n < bytes.size(); ++n) {
    const unsigned char low = n == 1 && lead == 0xE0 ? 0xA0 : n == 1 && lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = n == 1 && lead == 0xED ? 0x9F : n == 1 && lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(n) < low || byte(n) > high) break;
  }
  return n;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Appends the bytes, repaired, to `text` and returns how many were used: all, or, with `more_may_come`, all but an
// incomplete character at the end.
size_t repair(std::string_view bytes, bool more_may_come, std::string& text) {
  const size_t size = bytes.size();
  text.reserve(text.size() + size);
  while (!bytes.empty()) {
    utf8proc_int32_t code = -1;
    const auto n = utf8proc_iterate(units(bytes), static_cast<utf8proc_ssize_t>(bytes.size()), &code);
    if (n > 0) {
      text += bytes.substr(0, static_cast<size_t>(n));
      bytes.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    size_t whole = 0;
    const size_t broken = broken_length(bytes, whole);
    if (more_may_come && broken == bytes.size() && broken < whole) break;
    text += replacement;
    bytes.remove_prefix(broken);
  }
  return size - bytes.size();
}

// utf8proc sorts the combining marks of a letter by exchanging neighbours, which is quadratic: thousands of them would
// take minutes. This sorts long runs beforehand, by combining class as normalization requires.
std::string sort_marks(std::string_view text) {
  struct Mark {
    int order;
    std::string_view bytes;
  };
  std::string result;
  result.reserve(text.size());
  std::vector<Mark> marks;
  const auto flush = [&] {
    if (marks.size() > long_run)
      std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.order < b.order; });
    for (const Mark& mark : marks) result += mark.bytes;
    marks.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const auto [code, length] = first_character(text.substr(at));
    const int order = utf8proc_get_property(code)->combining_class;
    if (order == 0) flush();
    if (order == 0) {
      result += text.substr(at, length);
    } else {
      marks.push_back({order, text.substr(at, length)});
    }
    at += length;
  }
  flush();
  return result;
}

// Normalization form C of valid UTF-8.
std::string composed(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  const std::string sorted = sort_marks(text);
  utf8proc_uint8_t* result = nullptr;
  const auto n = utf8proc_map(units(sorted), static_cast<utf8proc_ssize_t>(sorted.size()), &result,
                              static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, std::free);
  return n < 0 ? sorted : std::string(reinterpret_cast<const char*>(result), static_cast<size_t>(n));
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  repair(bytes, false, text);
  return text;
}

std::string take_complete_characters(std::string& bytes) {
  std::string text;
  bytes.erase(0, repair(bytes, true, text));
  return text;
}

std::string normalize(std::string_view text) { return is_ascii(text) ? std::string(text) : composed(valid_utf8(text)); }

// An ASCII character never composes with the text before it, so the text may be cut in front of it.
std::string normalize(std::string_view text, std::vector<ByteSpan>& spans) {
  const auto ascii = [&](size_t i) { return i == text.size() || static_cast<unsigned char>(text[i]) < 0x80; };
  std::string result;
  size_t done = 0;
  const auto up_to = [&](size_t end) {
    if (end > done) {
      result += composed(text.substr(done, end - done));
      done = end;
    }
    return result.size();
  };
  for (ByteSpan& span : spans) {
    size_t begin = span.begin, end = span.end;
    while (begin > 0 && !ascii(begin)) --begin;
    while (!ascii(end)) ++end;
    span.begin = up_to(begin);
    span.end = up_to(end);
  }
  up_to(text.size());
  return result;
}

Character first_character(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto n = utf8proc_iterate(units(text), static_cast<utf8proc_ssize_t>(text.size()), &code);
  return n > 0 ? Character{code, static_cast<size_t>(n)} : Character{0xFFFD, 1};
}

Character last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return first_character(text.substr(at));
}

bool is_space(int32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  const auto category = utf8proc_category(code);
  return code == 0x85 || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool is_word(int32_t code) {
  const bool joiner = code == 0x200C || code == 0x200D;
  const bool letters_in_circles = (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F149) ||
                                  (code >= 0x1F150 && code <= 0x1F169) || (code >= 0x1F170 && code <= 0x1F189);
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return joiner || letters_in_circles;
  }
}

}  // namespace compeer::language
