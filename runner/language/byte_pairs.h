#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "language/vocabulary.h"

// Byte-pair encoding (BPE), the last step of tokenization: converts one word to token ids. The word is cut into initial
// symbols, bytes or characters, which are then merged.

namespace compeer::language {

/// Settings that determine the initial symbols of a word, before merges. Names are those of tokenizer files.
struct SymbolSettings {
  bool byte_level = true;      ///< symbols are bytes, spelled as GPT-2 does (`spell_bytes`); false: characters
  bool byte_fallback = false;  ///< a character without a token becomes tokens of its bytes ("<0xE2>"), if all exist
  std::string unk_token;       ///< token that replaces any other character without a token; empty: it is dropped
  bool fuse_unk = false;       ///< a run of unknown characters becomes a single unk_token
};

/// Splits a word into its initial symbols, as token ids.
class Symbols {
 public:
  /// `where`: name of the file in errors. Throws Error (exit code 4: invalid data), located there, if the unknown token
  /// may be needed and is not in the vocabulary.
  Symbols(const Vocabulary& vocabulary, const SymbolSettings& settings, const std::string& where);

  /// Appends the ids of the word's symbols to `ids`.
  void split(std::string_view word, std::vector<int32_t>& ids) const;

  /// Number of the 256 byte values that have no token and are dropped when text is encoded.
  int lost_bytes() const { return lost_bytes_; }

 private:
  // `split` by characters. `word`: UTF-8, in the vocabulary's spelling.
  void split_characters(std::string_view word, std::vector<int32_t>& ids) const;
  // Appends the tokens of a character's bytes; returns false, without appending, if one has no token.
  bool add_bytes(std::string_view character, std::vector<int32_t>& ids) const;

  bool byte_level_, byte_fallback_, fuse_unk_;
  int32_t unknown_ = -1;  // id of unk_token; -1: unknown characters are dropped
  int lost_bytes_ = 0;
  // [byte]: ids of the tokens for a byte in GPT-2's spelling, and as "<0xE2>"; -1: none.
  std::array<int32_t, 256> spelled_bytes_{}, byte_tokens_{};
  std::unordered_map<int32_t, int32_t> characters_;  // ids of tokens of a single character, by its code point
};

/// Byte-pair encoding: merges a word's symbols pair by pair in the order of the merge list. O(n log n) for n symbols.
class BytePairs {
 public:
  /// Two tokens that are merged, as the vocabulary spells them.
  using Pair = std::pair<std::string, std::string>;

  /// `merges`: in order of rank, the first to be merged first. Throws Error (exit code 4), located at `where`, naming a
  /// token that is not in the vocabulary.
  BytePairs(const Vocabulary& vocabulary, const SymbolSettings& settings, const std::vector<Pair>& merges,
            const std::string& where);

  /// Appends the ids of one word to `ids`.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

  const Symbols& symbols() const { return symbols_; }

 private:
  struct Merge {
    uint64_t key;                    // ids of the left token (upper 32 bits) and the right token
    int32_t rank = -1, result = -1;  // rank -1: a free slot; result: id of the merged token
  };
  struct Part;       // a symbol of a word being encoded
  struct Candidate;  // a possible merge of two adjacent symbols
  // Returns the merge of two token ids; null: none.
  const Merge* find(int32_t left, int32_t right) const;
  void insert(const Merge& merge);

  Symbols symbols_;
  std::vector<Merge> merges_;  // hash table with open addressing; the size is a power of two, at most half is used
};

}  // namespace compeer::language
