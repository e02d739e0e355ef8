#include "stages/rewrite/numbered.h"

#include <string_view>

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

}  // namespace compeer::stages
