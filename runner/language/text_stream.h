#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "language/tokenizer.h"

namespace compeer::language {

/// Text of tokens that come one by one. What has been given out, put together, is what `Tokenizer::decode` makes of all
/// ids; never half a character, so a character that takes several tokens comes with the last of them. Where tokens
/// stand for bytes (SentencePiece), what they spell comes with the first token that is none: until then a byte may
/// follow with which all of them are broken.
class TextStream {
 public:
  explicit TextStream(const Tokenizer& tokenizer, bool keep_special = false);

  /// The text that this token settles; often empty for a part of a character.
  std::string push(int32_t id);

  /// Whole characters that wait: `finish` would give them now.
  std::string_view whole() const;

  /// The rest: U+FFFD if the last tokens form no whole character. The stream then begins anew.
  std::string finish();

 private:
  std::string settle_bytes();
  std::string stripped(std::string text);

  const Tokenizer* tokenizer_;
  bool keep_special_;
  std::string waiting_;  // bytes that may still become a character
  size_t to_strip_;      // how often the character that is left out at the begin may still come
};

/// Watches a completion's tokens for texts that end it, wherever tokens begin and end. Special tokens count as text.
class StopStrings {
 public:
  StopStrings(const Tokenizer& tokenizer, std::vector<std::string> texts);

  /// Whether the text so far contains one of them.
  bool push(int32_t id);
  /// `push` of a copy, for a completion of its own.
  std::function<bool(int32_t id)> rule() const {
    return [own = *this](int32_t id) mutable { return own.push(id); };
  }

  /// The part of a whole text that stands before the first of them.
  static std::string before(const std::string& text, const std::vector<std::string>& texts);

 private:
  TextStream stream_;
  std::vector<std::string> texts_;
  size_t longest_ = 0;
  std::string tail_;  // of the text: as much as may begin one of them
};

}  // namespace compeer::language
