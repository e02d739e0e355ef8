#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/text.h"

namespace compeer::language {

/// A token that is not made of bytes but found as a whole, with the flags that tokenizer files give it.
struct AddedToken {
  std::string text;
  int64_t id = -1;
  bool special = false;      ///< text that people write does not make it: Tokenizer::encode
  bool single_word = false;  ///< only where no word character stands beside it
  bool lstrip = false;       ///< takes the white space before it
  bool rstrip = false;       ///< and behind it
  bool normalized = false;   ///< looked for in the normalized text
};

/// Finds added tokens as Hugging Face's `tokenizers` does: leftmost, of several there the longest; what flags rule out
/// is passed over as a whole.
class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens);

  /// A token, or with id -1 the text between tokens. Tokens that strip white space may overlap.
  struct Piece {
    ByteSpan span;
    int32_t id;
  };

  /// The whole text in pieces. A special token that touches one of the spans `plain` (in order, apart) is text.
  std::vector<Piece> cut(std::string_view text, std::span<const ByteSpan> plain) const;

  /// Whether a text that begins with this token may be put behind any other without a change to the pieces of either:
  /// no token reaches across, and none looks at what stands beside it there.
  bool parts(std::string_view token) const;

  bool empty() const { return tokens_.empty(); }

 private:
  const AddedToken* longest_at(std::string_view text) const;

  std::vector<AddedToken> tokens_;  // in order of their texts
  std::array<bool, 256> begins_{};  // whether a token begins with this byte
};

}  // namespace compeer::language
