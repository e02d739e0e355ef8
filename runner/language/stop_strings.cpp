#include "language/stop_strings.h"

#include <algorithm>

namespace compeer::language {

StopStrings::StopStrings(const Tokenizer& tokenizer, std::vector<std::string> texts)
    : stream_(tokenizer, true), texts_(std::move(texts)) {
  for (const auto& text : texts_) longest_ = std::max(longest_, text.size());
}

bool StopStrings::push(int32_t id) {
  tail_ += stream_.push(id);
  const std::string so_far = tail_ + std::string(stream_.whole());
  for (const auto& text : texts_) {
    if (so_far.find(text) != std::string::npos) return true;
  }
  if (tail_.size() > longest_) tail_.erase(0, tail_.size() - longest_);
  return false;
}

std::string StopStrings::before(const std::string& text, const std::vector<std::string>& texts) {
  size_t end = text.size();
  for (const auto& stop : texts) end = std::min(end, text.find(stop));
  return text.substr(0, end);
}

}  // namespace compeer::language
