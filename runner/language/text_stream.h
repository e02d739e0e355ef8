#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "language/tokenizer.h"

namespace compeer::language {

/// Incremental decoding: converts tokens to text as they arrive. The returned pieces, concatenated, equal
/// `Tokenizer::decode` of all ids, and never split a character. A run of byte tokens (SentencePiece) is returned with
/// the first token after it, since a further byte could make the whole run invalid.
class TextStream {
 public:
  /// Keeps a reference to the tokenizer. `keep_special`: include special tokens in the text.
  explicit TextStream(const Tokenizer& tokenizer, bool keep_special = false);

  /// Returns the text that becomes final with this token; may be empty.
  std::string push(int32_t id);

  /// The text held back, if it consists of complete characters; otherwise empty. A view that the next call invalidates.
  std::string_view pending_text() const;

  /// Returns the text held back, with U+FFFD for an incomplete character, and resets the stream.
  std::string finish();

 private:
  // Decodes the run of byte tokens in `waiting_`, which has ended, and returns its text.
  std::string settle_bytes();
  // Returns the text without leading occurrences of TokenDecoder::strip, up to `to_strip_` in total.
  std::string stripped(std::string text);

  const Tokenizer* tokenizer_;
  bool keep_special_;
  std::string waiting_;  // bytes held back
  size_t to_strip_;      // occurrences of TokenDecoder::strip still to be removed at the start
};

/// Detects stop strings in a completion, independent of token boundaries. Special tokens count as text.
class StopStrings {
 public:
  /// Keeps a reference to the tokenizer.
  StopStrings(const Tokenizer& tokenizer, std::vector<std::string> texts);

  /// Adds a token; returns true if the text so far contains a stop string.
  bool push(int32_t id);
  /// Returns a function with its own copy of the state, for `rollout::CompletionRules::stop`.
  std::function<bool(int32_t id)> rule() const {
    return [own = *this](int32_t id) mutable { return own.push(id); };
  }

  /// Returns the part of `text` before the first stop string; all of it if there is none.
  static std::string before(const std::string& text, const std::vector<std::string>& texts);

 private:
  TextStream stream_;
  std::vector<std::string> texts_;  // the stop strings
  size_t longest_ = 0;              // length of the longest stop string, in bytes
  std::string tail_;                // end of the text, where a stop string may begin
};

}  // namespace compeer::language
