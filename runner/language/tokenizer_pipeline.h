#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "language/splitter.h"
#include "language/text.h"

// The steps of a tokenizer file around byte-pair encoding: the normalizer changes text, the pre-tokenizer splits it
// into words, the decoder converts tokens back to text.

namespace compeer::language {

/// A replacement of every `from` by `to`.
struct TextReplacement {
  std::string from, to;
};

/// Returns the text with all replacements made.
std::string replaced(std::string_view text, const TextReplacement& replacement);

/// The normalizer of a tokenizer file: steps that are applied in order to text before it is split into words.
/// Functions `add_...` append a step.
class Normalizer {
 public:
  /// Adds Unicode normalization form C.
  void add_nfc() { steps_.push_back({Step::Kind::nfc, {}}); }
  /// Adds a prefix to every text that is not empty.
  void add_prefix(std::string prefix) { steps_.push_back({Step::Kind::prefix, {"", std::move(prefix)}}); }
  /// Adds a replacement.
  void add_replacement(TextReplacement replacement) {
    steps_.push_back({Step::Kind::replacement, std::move(replacement)});
  }

  bool empty() const { return steps_.empty(); }  ///< true if it changes nothing

  /// Returns the normalized text. `text` must be valid UTF-8.
  std::string of(std::string_view text) const;
  /// The same, updating `spans` (ascending, not overlapping) to cover the same characters afterwards. They may cover
  /// more than before, never less. A prefix is in no span.
  std::string of(std::string_view text, std::vector<ByteSpan>& spans) const;

 private:
  struct Step {
    enum class Kind { nfc, prefix, replacement } kind;
    TextReplacement replacement;  // prefix: its `to`; nfc: unused
  };
  std::vector<Step> steps_;
};

/// The step Metaspace: replaces spaces by `mark` and prepends a mark to pieces that don't begin with one. With a space
/// as mark, it is the add_prefix_space of ByteLevel.
struct Metaspace {
  enum class Before { every_piece, first_piece, none };
  std::string mark;                     ///< usually U+2581
  Before before = Before::every_piece;  ///< pieces that a mark is prepended to: all, the text's first, or none
};

/// A text that was split into words.
struct PreTokenizedText {
  std::vector<std::string_view> words;  ///< in order: views into the text, or into `changed` if a step changed them
  std::deque<std::string> changed;      ///< owns the changed words
};

/// The pre-tokenizer of a tokenizer file: splits text into words, which merges don't cross. Each step is applied to the
/// pieces of the step before.
class PreTokenizer {
 public:
  /// Appends a step.
  void add(Splitter step) { steps_.emplace_back(std::move(step)); }
  void add(Metaspace step) { steps_.emplace_back(std::move(step)); }

  /// Splits `text`, which must be valid UTF-8 and outlive the result. `first`: it is the beginning of the encoded text.
  PreTokenizedText split(std::string_view text, bool first) const;

 private:
  std::vector<std::variant<Splitter, Metaspace>> steps_;
};

/// The decoder of a tokenizer file: how tokens represent text. Either GPT-2's spelling, a printable character per byte,
/// or that of SentencePiece: text with a mark for spaces, and tokens for single bytes ("<0x0A>").
struct TokenDecoder {
  bool byte_level = true;                     ///< GPT-2's spelling; the other members are then unused
  std::vector<TextReplacement> replacements;  ///< made within each token
  bool byte_fallback = false;                 ///< there are tokens for bytes
  std::string strip;                          ///< character to remove from the start of a decoded text
  size_t strip_start = 0;                     ///< most occurrences of `strip` to remove; 0: none

  /// Returns the bytes that one token represents. `token`: as spelled in its file.
  std::string bytes(std::string_view token) const;
  /// True for a byte token. A run of them becomes text if it is valid UTF-8 as a whole, otherwise one U+FFFD per byte.
  bool is_byte(std::string_view token) const;
};

/// Returns the token of a byte, "<0x0A>".
std::string byte_token(uint8_t byte);
/// Returns the byte of such a token; empty for other tokens.
std::optional<uint8_t> byte_of_token(std::string_view token);

}  // namespace compeer::language
