#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/symbols.h"
#include "language/vocabulary.h"

namespace compeer::language {

/// Byte-pair encoding: a word's symbols, its bytes or characters, joined pair by pair in the order of the merge list. A
/// word of n symbols takes O(n log n).
class BytePairs {
 public:
  /// The two tokens that a line of the merge list joins, as the vocabulary spells them.
  using Pair = std::pair<std::string, std::string>;

  /// merges: in order of rank. Throws Error (exit 4) naming `where` and the token that the vocabulary lacks.
  BytePairs(const Vocabulary& vocabulary, const SymbolSettings& settings, const std::vector<Pair>& merges,
            const std::string& where);

  /// Appends the ids of one word.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

  const Symbols& symbols() const { return symbols_; }

 private:
  struct Merge {
    uint64_t key;  // both ids; 0 marks a free place, which is no pair because rank tells
    int32_t rank = -1, result = -1;
  };
  struct Part;
  struct Candidate;
  const Merge* find(int32_t left, int32_t right) const;
  void insert(const Merge& merge);

  Symbols symbols_;
  std::vector<Merge> merges_;  // a hash table with open addressing: its size is a power of two, half is free
};

}  // namespace compeer::language
