#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language {

/// GPT-2's spelling of bytes as printable characters, as vocabularies are written: a space is U+0120.
std::string spell_bytes(std::string_view bytes);

/// Back. A text with a character that spells no byte (an added token, perhaps) stands for itself.
std::string unspell_bytes(std::string_view text);

/// A token as its file spells it (below), and its id.
struct TokenId {
  std::string token;
  int64_t id;
};

/// The tokens of a model, both ways. An id belongs to one token; ids are below 2^24, so that a wrong one costs no
/// memory.
class Vocabulary {
 public:
  static constexpr int64_t id_limit = int64_t{1} << 24;

  /// bytes: what a token stands for, by its spelling. Throws Error (exit 4) naming `where` and the token.
  Vocabulary(const std::vector<TokenId>& tokens, const std::string& where,
             const std::function<std::string(std::string_view)>& bytes = unspell_bytes);

  /// By the token's spelling; -1 if there is none.
  int32_t id(std::string_view spelled) const;

  /// How its file writes a token; empty for an id without token.
  std::string_view spelled(int32_t id) const;

  /// What a token stands for; empty for an id without token.
  std::string_view bytes(int32_t id) const;

  /// One more than the largest id.
  int32_t size() const { return static_cast<int32_t>(spelled_.ends.size()); }

 private:
  /// Texts by number, in one string: some hundred thousand small ones would be slow to make.
  struct TextTable {
    std::string all;
    std::vector<uint32_t> ends;
    std::string_view at(int32_t i) const;
    void add(std::string_view text);
  };
  struct HashSlot {
    uint32_t hash;
    int32_t id = -1;
  };
  /// Where the token is in the table, or the free place where it belongs.
  size_t slot(std::string_view spelled, uint32_t hash) const;

  TextTable spelled_, bytes_;
  std::vector<HashSlot> slots_;  // a hash table with open addressing: its size is a power of two, half is free
};

/// An id as a file gives it; throws Error (exit 4) naming `where` and the token if it can be none.
int32_t checked_id(int64_t id, const std::string& token, const std::string& where);

}  // namespace compeer::language
