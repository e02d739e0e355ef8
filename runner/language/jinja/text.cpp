// Texts with the origin of each byte, and Python's string methods on them.
#include "language/jinja/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.h"

namespace compeer::language::jinja {

void Text::append(std::string_view bytes, bool data) {
  if (bytes.size() > limit - bytes_.size())
    throw TemplateError("a string grows beyond " + std::to_string(limit) + " bytes");
  bytes_ += bytes;
  marks_.append(bytes.size(), data ? 'd' : 't');
}

void Text::append(const Text& other) {
  if (other.size() > limit - bytes_.size())
    throw TemplateError("a string grows beyond " + std::to_string(limit) + " bytes");
  bytes_ += other.bytes_;
  marks_ += other.marks_;
}

Text Text::substr(size_t begin, size_t end) const {
  Text result;
  result.bytes_ = bytes_.substr(begin, end - begin);
  result.marks_ = marks_.substr(begin, end - begin);
  return result;
}

std::vector<ByteSpan> Text::data() const {
  std::vector<ByteSpan> spans;
  for (size_t at = marks_.find('d'); at != std::string::npos;) {
    const size_t end = std::min(marks_.find('t', at), marks_.size());
    spans.push_back({at, end});
    at = marks_.find('d', end);
  }
  return spans;
}

bool is_blank(int32_t code) { return is_space(code) || (code >= 0x1C && code <= 0x1F); }

namespace {

template <class Unwanted>
Text strip_if(const Text& text, bool left, bool right, const Unwanted& unwanted) {
  std::string_view rest = text.bytes();
  size_t begin = 0;
  while (left && !rest.empty()) {
    const auto c = first_character(rest);
    if (!unwanted(rest.substr(0, c.length), c.code)) break;
    rest.remove_prefix(c.length);
    begin += c.length;
  }
  while (right && !rest.empty()) {
    const auto c = last_character(rest);
    if (!unwanted(rest.substr(rest.size() - c.length), c.code)) break;
    rest.remove_suffix(c.length);
  }
  return text.substr(begin, begin + rest.size());
}

// Replaces each character by change(code, code of the character before).
template <class Change>
Text changed(const Text& text, const Change& change) {
  Text result;
  int32_t before = 0;
  for (size_t at = 0; at < text.size();) {
    const auto [code, length] = first_character(std::string_view(text.bytes()).substr(at));
    const int32_t now = change(code, before);
    if (now == code) {
      result.append(text.substr(at, at + length));
    } else {
      utf8proc_uint8_t bytes[4];
      const auto n = utf8proc_encode_char(now, bytes);
      result.append({reinterpret_cast<char*>(bytes), static_cast<size_t>(n)}, text.is_data(at));
    }
    before = code;
    at += length;
  }
  return result;
}

bool is_letter(int32_t code) {
  return utf8proc_toupper(code) != code || utf8proc_tolower(code) != code || code == 0xDF;
}

}  // namespace

Text strip(const Text& text, bool left, bool right) {
  return strip_if(text, left, right, [](std::string_view, int32_t code) { return is_blank(code); });
}

Text strip(const Text& text, bool left, bool right, std::string_view characters) {
  std::unordered_set<std::string_view> unwanted;
  for (size_t at = 0; at < characters.size();) {
    const size_t length = first_character(characters.substr(at)).length;
    unwanted.insert(characters.substr(at, length));
    at += length;
  }
  return strip_if(text, left, right, [&](std::string_view c, int32_t) { return unwanted.contains(c); });
}

std::vector<Text> split(const Text& text, size_t most) {
  std::vector<Text> parts;
  const auto starts = character_starts(text);
  const auto blank = [&](size_t i) {
    return is_blank(first_character(std::string_view(text.bytes()).substr(starts[i])).code);
  };
  const size_t n = starts.size() - 1;
  for (size_t i = 0;;) {
    while (i < n && blank(i)) ++i;
    if (i == n) return parts;
    const size_t begin = i;
    if (parts.size() == most) {
      parts.push_back(strip(text.substr(starts[begin], text.size()), false, true));
      return parts;
    }
    while (i < n && !blank(i)) ++i;
    parts.push_back(text.substr(starts[begin], starts[i]));
  }
}

std::vector<Text> split(const Text& text, std::string_view separator, size_t most) {
  if (separator.empty()) throw TemplateError("split() requires a non-empty separator");
  std::vector<Text> parts;
  size_t done = 0;
  for (size_t at; parts.size() < most && (at = find_text(text.bytes(), separator, done)) != std::string::npos;) {
    parts.push_back(text.substr(done, at));
    done = at + separator.size();
  }
  parts.push_back(text.substr(done, text.size()));
  return parts;
}

std::vector<Text> split_from_right(const Text& text, std::string_view separator, size_t most) {
  if (separator.empty()) throw TemplateError("rsplit() requires a non-empty separator");
  // Searches the reversed text from the left, which takes linear time (base/text.h).
  const std::string backwards(text.bytes().rbegin(), text.bytes().rend());
  const std::string sought(separator.rbegin(), separator.rend());
  std::vector<Text> parts;
  size_t done = 0;
  for (size_t at; parts.size() < most && (at = find_text(backwards, sought, done)) != std::string::npos;) {
    parts.push_back(text.substr(text.size() - at, text.size() - done));
    done = at + separator.size();
  }
  parts.push_back(text.substr(0, text.size() - done));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Text> split_lines(const Text& text, bool keep_ends) {
  std::vector<Text> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.bytes().find_first_of("\r\n\v\f", at), text.size());
    const size_t next = text.bytes().compare(end, 2, "\r\n") == 0 ? end + 2 : std::min(end + 1, text.size());
    lines.push_back(text.substr(at, keep_ends ? next : end));
    at = next;
  }
  return lines;
}

Text replace(const Text& text, std::string_view old, const Text& with, size_t most) {
  Text result;
  size_t done = 0;
  for (size_t n = 0, from = 0; n < most && from <= text.size(); ++n) {
    const size_t at = find_text(text.bytes(), old, from);
    if (at == std::string::npos) break;
    result.append(text.substr(done, at));
    result.append(with);
    done = at + old.size();
    // An empty text is found before every character and at the end.
    from = !old.empty()       ? done
           : at < text.size() ? at + first_character(std::string_view(text.bytes()).substr(at)).length
                              : at + 1;
  }
  result.append(text.substr(done, text.size()));
  return result;
}

// The sharp s is the only letter of common languages whose upper case is two letters.
Text upper(const Text& text) {
  const Text large = changed(text, [](int32_t code, int32_t) { return code == 0xDF ? code : utf8proc_toupper(code); });
  return replace(large, "\xC3\x9F", Text("SS", large.has_data()), std::string::npos);
}

Text lower(const Text& text) {
  return changed(text, [](int32_t code, int32_t) { return utf8proc_tolower(code); });
}

Text title(const Text& text) {
  return changed(text, [](int32_t code, int32_t before) {
    return is_letter(before) ? utf8proc_tolower(code) : utf8proc_totitle(code);
  });
}

Text capitalize(const Text& text) {
  return changed(
      text, [](int32_t code, int32_t before) { return before == 0 ? utf8proc_totitle(code) : utf8proc_tolower(code); });
}

size_t length(const Text& text) {
  return static_cast<size_t>(std::count_if(text.bytes().begin(), text.bytes().end(),
                                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<size_t> character_starts(const Text& text) {
  std::vector<size_t> starts;
  for (size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text.bytes()[at]) & 0xC0) != 0x80) starts.push_back(at);
  }
  starts.push_back(text.size());
  return starts;
}

}  // namespace compeer::language::jinja
