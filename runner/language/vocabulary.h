#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The table of a tokenizer's tokens and ids. A token's spelling in its file may differ from the bytes that it
// represents: byte-level vocabularies spell each byte as a printable character.

namespace compeer::language {

/// Returns GPT-2's spelling of bytes as printable characters, which byte-level vocabularies use: a space becomes
/// U+0120.
std::string spell_bytes(std::string_view bytes);

/// The inverse of `spell_bytes`. Returns `text` unchanged if a character of it spells no byte, as in added tokens.
std::string unspell_bytes(std::string_view text);

/// A token, as spelled in its file, and its id.
struct TokenId {
  std::string token;
  int64_t id;
};

/// Maps tokens to ids and back, one to one. Ids are less than `id_limit`, so that a wrong one does not exhaust memory.
class Vocabulary {
 public:
  static constexpr int64_t id_limit = int64_t{1} << 24;  ///< ids must be less than this

  /// `bytes`: converts a token's spelling to the bytes that it represents. Throws Error (exit code 4: invalid data),
  /// located at `where`,
  /// naming the token, for an invalid or duplicate id or token.
  Vocabulary(const std::vector<TokenId>& tokens, const std::string& where,
             const std::function<std::string(std::string_view)>& bytes = unspell_bytes);

  /// Returns the id of a token by its spelling; -1 if there is none.
  int32_t id(std::string_view spelled) const;

  /// Returns the token as spelled in its file; empty for an unused id.
  std::string_view spelled(int32_t id) const;

  /// Returns the bytes that a token represents; empty for an unused id.
  std::string_view bytes(int32_t id) const;

  /// Largest id plus 1.
  int32_t size() const { return static_cast<int32_t>(spelled_.ends.size()); }

 private:
  /// Strings by number, stored in one string: some hundred thousand small allocations would be slow.
  struct TextTable {
    std::string all;             // the strings, concatenated
    std::vector<uint32_t> ends;  // [i]: offset in `all` of the end of string i
    std::string_view at(int32_t i) const;
    void add(std::string_view text);  // appends a string
  };
  struct HashSlot {
    uint32_t hash;    // hash of the token's spelling
    int32_t id = -1;  // -1: a free slot
  };
  /// Returns the token's slot in the hash table, or the free slot for it.
  size_t slot(std::string_view spelled, uint32_t hash) const;

  TextTable spelled_, bytes_;    // by id: spelling, and bytes represented; "" for an unused id
  std::vector<HashSlot> slots_;  // hash table with open addressing; the size is a power of two, at most half is used
};

/// Returns the id as int32_t. Throws Error (exit code 4), located at `where`, naming the token, if it is out of range.
int32_t checked_id(int64_t id, const std::string& token, const std::string& where);

}  // namespace compeer::language
