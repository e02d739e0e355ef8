#include "datasets/esc_world/world/slots.h"

#include <utility>

namespace compeer::esc_world {

std::string fill(std::string_view text, std::string_view slot, std::string_view value) {
  const size_t at = text.find(slot);
  if (at == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, at)) + std::string(value) + std::string(text.substr(at + slot.size()));
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> sentences;
  std::string sentence;
  for (char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && sentence.empty()) continue;
    sentence += c;
    if (c == '.' || c == '?' || c == '!') sentences.push_back(std::exchange(sentence, {}));
  }
  while (!sentence.empty() && (sentence.back() == ' ' || sentence.back() == '\n')) sentence.pop_back();
  if (!sentence.empty()) sentences.push_back(sentence);
  return sentences;
}

}  // namespace compeer::esc_world
