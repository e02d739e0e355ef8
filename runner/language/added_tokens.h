#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/text.h"

// The first step of tokenization: finds the tokens of a tokenizer file that are not made by merges, such as
// "<|im_end|>", and cuts the text around them.

namespace compeer::language {

/// A token that is matched as a whole before BPE, with the flags that tokenizer files give it.
struct AddedToken {
  std::string text;          ///< the bytes to find
  int64_t id = -1;           ///< token id; -1: not assigned yet
  bool special = false;      ///< controls the model ("<|im_end|>"); not recognised in the contents of messages
  bool single_word = false;  ///< matches only if no word character is next to it
  bool lstrip = false;       ///< also matches the white space before it
  bool rstrip = false;       ///< also matches the white space after it
  bool normalized = false;   ///< searched for in the normalized text instead of the original
};

/// Finds added tokens as Hugging Face's `tokenizers` does: the leftmost match, the longest of several. A match that
/// `single_word` rules out is skipped as a whole.
class AddedTokens {
 public:
  /// `tokens`: in any order; texts must not be empty.
  explicit AddedTokens(std::vector<AddedToken> tokens);

  /// A token, or text between tokens (id -1). Tokens that strip white space may overlap.
  struct Piece {
    ByteSpan span;  ///< bytes of the text
    int32_t id;     ///< token id; -1: text
  };

  /// Splits the whole text into pieces, in order. `plain`: spans of the text that come from messages: special tokens
  /// that overlap one of them are not recognised. Spans must be ascending and must not overlap.
  std::vector<Piece> split(std::string_view text, std::span<const ByteSpan> plain) const;

  /// True if a text that begins with this token can be appended to any other text without changing the pieces of
  /// either: no token can span the boundary, and no token there depends on its neighbours.
  bool is_separable(std::string_view token) const;

  bool empty() const { return tokens_.empty(); }

 private:
  // Returns the longest token that `text` begins with; null: none.
  const AddedToken* longest_at(std::string_view text) const;

  std::vector<AddedToken> tokens_;  // sorted by text
  std::array<bool, 256> begins_{};  // [byte]: true if a token begins with this byte
};

}  // namespace compeer::language
