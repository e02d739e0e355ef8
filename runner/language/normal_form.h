#pragma once
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace compeer::language
