#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "language/tokenizer.h"

namespace compeer::language {

struct Message {
  std::string role, text;
};

/// Conversations as token ids, in the ChatML format of the Qwen family:
///   <|im_start|>user\n...<|im_end|>\n<|im_start|>assistant\n
/// What people wrote is encoded without recognising special tokens, so nobody can forge a turn.
class Chat {
 public:
  explicit Chat(const Tokenizer& tokenizer);

  /// The conversation, ready for the assistant to answer.
  std::vector<int32_t> prompt(const std::vector<Message>& messages) const;

  /// An answer as the model should produce it, the end token included.
  std::vector<int32_t> answer(const std::string& text) const;

 private:
  const Tokenizer& tokenizer_;
  int32_t start_, end_;
};

}  // namespace compeer::language
