// Splits completions by tags and prompts by turns.
#include "report/drawing/passages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace compeer::report {

namespace {

constexpr std::string_view turn_start = "<|im_start|>", turn_end = "<|im_end|>";
constexpr size_t longest_tag = 32;

std::string trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(space) - first + 1));
}

void add(std::vector<TaggedText>& passages, std::string_view name, std::string_view text) {
  if (auto inside = trimmed(text); !inside.empty()) passages.push_back({std::string(name), std::move(inside)});
}

/// Returns the name in an opening tag at `at`, or "".
std::string_view opening(std::string_view text, size_t at) {
  const size_t end = text.find('>', at);
  if (end == std::string_view::npos || end - at - 1 > longest_tag) return {};
  const auto name = text.substr(at + 1, end - at - 1);
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  return plain && !name.empty() ? name : std::string_view{};
}

/// Returns the position of the closing tag of `name`; npos if the tag is opened again before.
size_t closing(std::string_view text, std::string_view name, size_t from) {
  const size_t end = text.find(fmt::format("</{}>", name), from), again = text.find(fmt::format("<{}>", name), from);
  return again < end ? std::string_view::npos : end;
}

}  // namespace

std::vector<TaggedText> by_tags(std::string_view text) {
  std::vector<TaggedText> passages;
  size_t plain = 0;  // start of the current untagged text
  for (size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const auto name = opening(text, at);
    const size_t inside = at + name.size() + 2,
                 end = name.empty() ? std::string_view::npos : closing(text, name, inside);
    if (end == std::string_view::npos) {
      ++at;
      continue;
    }
    add(passages, "", text.substr(plain, at - plain));
    add(passages, name, text.substr(inside, end - inside));
    plain = at = end + name.size() + 3;
  }
  add(passages, "", text.substr(plain));
  return passages;
}

std::vector<TaggedText> by_turns(std::string_view prompt) {
  std::vector<TaggedText> turns;
  size_t at = prompt.find(turn_start);
  if (at == std::string_view::npos) {
    add(turns, "", prompt);
    return turns;
  }
  add(turns, "", prompt.substr(0, at));
  while (at != std::string_view::npos) {
    const size_t begin = at + turn_start.size(), line = std::min(prompt.find('\n', begin), prompt.size());
    const size_t end = prompt.find(turn_end, begin), next = prompt.find(turn_start, begin);
    const size_t stop = std::min(end, next);
    if (stop != std::string_view::npos && line < stop)
      add(turns, prompt.substr(begin, line - begin), prompt.substr(line, stop - line));
    at = next;
  }
  return turns;
}

std::string cut(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + fmt::format(" … ({} more bytes)", text.size() - end);
}

}  // namespace compeer::report
