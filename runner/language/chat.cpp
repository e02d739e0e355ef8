#include "language/chat.h"

namespace compeer::language {

namespace {

void append(std::vector<int32_t>& ids, const std::vector<int32_t>& more) {
  ids.insert(ids.end(), more.begin(), more.end());
}

}  // namespace

Chat::Chat(const Tokenizer& tokenizer)
    : tokenizer_(tokenizer), start_(tokenizer.id("<|im_start|>")), end_(tokenizer.id("<|im_end|>")) {}

std::vector<int32_t> Chat::prompt(const std::vector<Message>& messages) const {
  std::vector<int32_t> ids;
  for (const Message& message : messages) {
    ids.push_back(start_);
    append(ids, tokenizer_.encode(message.role + "\n" + message.text));
    ids.push_back(end_);
    append(ids, tokenizer_.encode("\n"));
  }
  ids.push_back(start_);
  append(ids, tokenizer_.encode("assistant\n"));
  return ids;
}

std::vector<int32_t> Chat::answer(const std::string& text) const {
  auto ids = tokenizer_.encode(text);
  ids.push_back(end_);
  return ids;
}

}  // namespace compeer::language
