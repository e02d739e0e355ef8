#include "stages/rewrite/numbered.h"

#include <algorithm>

#include "empathy/plain.h"

namespace compeer::stages {

namespace {

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : empathy::trim(text)) {
    if (!empathy::is_space(c)) {
      line += c;
    } else if (line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

}  // namespace

std::string numbered(const std::vector<std::string>& texts) {
  std::string lines;
  for (size_t i = 0; i < texts.size(); ++i)
    lines += (i == 0 ? "" : "\n") + std::to_string(i + 1) + ": " + one_line(texts[i]);
  return lines;
}

Numbered read_numbered(std::string_view text, size_t count) {
  std::vector<std::string> texts;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto line = empathy::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const std::string number = std::to_string(texts.size() + 1) + ":";
    if (!line.starts_with(number)) return {std::nullopt, "a line that does not begin with " + number};
    const auto said = empathy::trim(line.substr(number.size()));
    if (said.empty()) return {std::nullopt, "nothing behind " + number};
    texts.emplace_back(said);
  }
  if (texts.size() != count)
    return {std::nullopt, std::to_string(texts.size()) + " lines instead of " + std::to_string(count)};
  return {std::move(texts), ""};
}

}  // namespace compeer::stages
