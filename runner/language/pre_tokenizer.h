#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "language/splitter.h"

namespace compeer::language {

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

}  // namespace compeer::language
