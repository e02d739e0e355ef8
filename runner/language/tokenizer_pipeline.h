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

namespace compeer::language {

/// Every `from` becomes `to`.
struct TextReplacement {
  std::string from, to;
};

std::string replaced(std::string_view text, const TextReplacement& replacement);

/// The form that a tokenizer file brings text to before words are cut: its normalizer, step by step.
class NormalForm {
 public:
  void add_nfc() { steps_.push_back({Step::Kind::nfc, {}}); }
  /// Put before every text that is not empty.
  void add_prefix(std::string prefix) { steps_.push_back({Step::Kind::prefix, {"", std::move(prefix)}}); }
  void add_replacement(TextReplacement replacement) {
    steps_.push_back({Step::Kind::replacement, std::move(replacement)});
  }

  bool empty() const { return steps_.empty(); }

  /// Of valid UTF-8.
  std::string of(std::string_view text) const;
  /// The same for text in which some spans matter (in order, apart): they are moved to where their characters are
  /// afterwards. They may come to hold more, never less; a prefix belongs to none.
  std::string of(std::string_view text, std::vector<ByteSpan>& spans) const;

 private:
  struct Step {
    enum class Kind { nfc, prefix, replacement } kind;
    TextReplacement replacement;
  };
  std::vector<Step> steps_;
};

/// A step of Metaspace: spaces become `mark`, and one is put before pieces that begin with none. ByteLevel does so with
/// the space itself.
struct SpaceMark {
  enum class Before { every_piece, first_piece, none };
  std::string mark;
  Before before = Before::every_piece;
};

/// The words of a text, in order; those that don't stand in it as they are, are kept in `changed`.
struct PreTokenizedText {
  std::vector<std::string_view> words;
  std::deque<std::string> changed;
};

/// Cuts text into the words that merges may not cross: the steps of a tokenizer file, each on the pieces of the last.
class PreTokenizer {
 public:
  void add(Splitter step) { steps_.emplace_back(std::move(step)); }
  void add(SpaceMark step) { steps_.emplace_back(std::move(step)); }

  /// first: whether what is encoded begins with this text (valid UTF-8).
  PreTokenizedText cut(std::string_view text, bool first) const;

 private:
  std::vector<std::variant<Splitter, SpaceMark>> steps_;
};

/// How the tokens of a file stand for text: its decoder. Either in GPT-2's spelling (vocabulary.h) or, as SentencePiece
/// has them, as text in which a mark stands for a space, and with tokens for single bytes ("<0x0A>").
struct TokenDecoder {
  bool byte_level = true;
  std::vector<TextReplacement> replacements;  ///< within each token
  bool byte_fallback = false;                 ///< there are tokens for bytes
  std::string strip;                          ///< this character is left out ...
  size_t strip_start = 0;                     ///< ... up to so many times where a text begins

  /// What one token stands for.
  std::string bytes(std::string_view token) const;
  /// Whether it is a token for a byte: a run of those is text if it is UTF-8 as a whole, and otherwise U+FFFD for each.
  bool is_byte(std::string_view token) const;
};

/// The token for a byte, and back.
std::string byte_token(uint8_t byte);
std::optional<uint8_t> byte_of_token(std::string_view token);

}  // namespace compeer::language
