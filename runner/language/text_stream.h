#pragma once
#include <cstdint>
#include <string>

#include "language/tokenizer.h"

namespace compeer::language {

/// Text of tokens that come one by one. What has been given out, put together, is what `Tokenizer::decode` makes of all
/// ids; never half a character, so a character that takes several tokens comes with the last of them.
class TextStream {
 public:
  explicit TextStream(const Tokenizer& tokenizer, bool keep_special = false)
      : tokenizer_(&tokenizer), keep_special_(keep_special) {}

  /// The text that this token settles; often empty for a part of a character.
  std::string push(int32_t id);

  /// The rest: U+FFFD if the last tokens form no whole character. The stream then begins anew.
  std::string finish();

 private:
  const Tokenizer* tokenizer_;
  bool keep_special_;
  std::string waiting_;  // bytes that may still become a character
};

}  // namespace compeer::language
