#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace compeer::language {

/// Byte-level byte-pair encoding: a word's bytes, joined pair by pair in the order of the merge list.
class BytePairs {
 public:
  /// vocabulary: token (bytes spelled as printable characters, GPT-2's table) -> id; merges: pairs in order of rank.
  BytePairs(const std::unordered_map<std::string, int32_t>& vocabulary,
            const std::vector<std::pair<std::string, std::string>>& merges, const std::string& where);

  /// Appends the ids of one word.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

  /// The bytes a token stands for; null for an id that is not in the vocabulary.
  const std::string* bytes(int32_t id) const;

 private:
  struct Merge {
    int32_t rank, result;
  };
  std::vector<int32_t> byte_id_;  // id of each single byte
  std::unordered_map<uint64_t, Merge> merges_;
  std::unordered_map<int32_t, std::string> bytes_;
};

/// GPT-2's spelling of bytes as printable characters, and back. Unknown characters stay as they are.
std::string spell_bytes(std::string_view bytes);
std::string unspell_bytes(std::string_view text);

}  // namespace compeer::language
