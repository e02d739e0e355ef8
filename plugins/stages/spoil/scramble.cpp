// Random damage to texts.
#include "stages/spoil/scramble.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace compeer::stages {

namespace {

// Returns the words with the spaces after them, or the characters (UTF-8) of a text without spaces.
std::vector<std::string> pieces_of(const std::string& text) {
  const bool words = text.find(' ') != std::string::npos;
  std::vector<std::string> pieces;
  bool open = false;
  for (const char c : text) {
    const bool goes_on = words ? open : !pieces.empty() && (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!goes_on) pieces.emplace_back();
    pieces.back() += c;
    open = c != ' ';
  }
  if (words && pieces.back().back() != ' ') pieces.back() += ' ';
  return pieces;
}

}  // namespace

std::string scramble(const std::string& text, const std::function<double(uint32_t)>& uniform) {
  auto pieces = pieces_of(text);
  const size_t times = std::max<size_t>(1, pieces.size() / 6);
  for (size_t i = 0; i < times && !pieces.empty(); ++i) {
    const auto number = static_cast<uint32_t>(2 * i);
    const auto place = static_cast<size_t>(uniform(number) * static_cast<double>(pieces.size()));
    const auto at = pieces.begin() + static_cast<int64_t>(place);
    const double kind = pieces.size() < 2 ? 0.5 : uniform(number + 1);
    if (kind < 1.0 / 3)
      pieces.erase(at);
    else if (kind < 2.0 / 3)
      pieces.insert(at, std::string(*at));
    else
      std::swap(*at, pieces[(place + 1) % pieces.size()]);
  }
  std::string result;
  for (const auto& piece : pieces) result += piece;
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace compeer::stages
