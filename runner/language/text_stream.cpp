// Incremental decoding and stop strings.
#include "language/text_stream.h"

#include <algorithm>

namespace compeer::language {

TextStream::TextStream(const Tokenizer& tokenizer, bool keep_special)
    : tokenizer_(&tokenizer), keep_special_(keep_special), to_strip_(tokenizer.decoder().strip_start) {}

std::string TextStream::push(int32_t id) {
  const auto bytes = tokenizer_->bytes(id, keep_special_);
  if (tokenizer_->decoder().byte_level || tokenizer_->is_byte(id)) {
    waiting_ += bytes;
    return tokenizer_->decoder().byte_level ? take_complete_characters(waiting_) : "";
  }
  if (bytes.empty()) return "";  // a special token that isn't shown, or an unknown id: neither ends a run of bytes
  return stripped(settle_bytes() + std::string(bytes));
}

std::string_view TextStream::pending_text() const {
  return valid_utf8(waiting_) == waiting_ ? std::string_view(waiting_) : std::string_view();
}

std::string TextStream::finish() {
  auto rest = tokenizer_->decoder().byte_level ? valid_utf8(waiting_) : stripped(settle_bytes());
  waiting_.clear();
  to_strip_ = tokenizer_->decoder().strip_start;
  return rest;
}

// As in the library `tokenizers`: if a run of bytes is not valid UTF-8, each of its bytes becomes U+FFFD.
std::string TextStream::settle_bytes() {
  std::string text;
  if (valid_utf8(waiting_) == waiting_) {
    text = waiting_;
  } else {
    for (size_t i = 0; i < waiting_.size(); ++i) text += "\xEF\xBF\xBD";
  }
  waiting_.clear();
  return text;
}

std::string TextStream::stripped(std::string text) {
  const std::string& strip = tokenizer_->decoder().strip;
  while (to_strip_ > 0 && text.starts_with(strip)) {
    text.erase(0, strip.size());
    --to_strip_;
  }
  if (!text.empty()) to_strip_ = 0;
  return text;
}

StopStrings::StopStrings(const Tokenizer& tokenizer, std::vector<std::string> texts)
    : stream_(tokenizer, true), texts_(std::move(texts)) {
  for (const auto& text : texts_) longest_ = std::max(longest_, text.size());
}

bool StopStrings::push(int32_t id) {
  tail_ += stream_.push(id);
  const std::string so_far = tail_ + std::string(stream_.pending_text());
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
