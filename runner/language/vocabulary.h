#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace compeer::language {

/// A token as its file spells it (spelling.h), and its id.
struct TokenId {
  std::string token;
  int64_t id;
};

/// The tokens of a model, both ways. An id belongs to one token; ids are below 2^24, so that a wrong one costs no
/// memory.
class Vocabulary {
 public:
  static constexpr int64_t id_limit = int64_t{1} << 24;

  /// Throws Error (exit 4) naming `where` and the token.
  Vocabulary(const std::vector<TokenId>& tokens, const std::string& where);

  /// By the token's spelling; -1 if there is none.
  int32_t id(std::string_view spelled) const;

  /// What a token stands for; empty for an id without token.
  std::string_view bytes(int32_t id) const;

  /// One more than the largest id.
  int32_t size() const { return static_cast<int32_t>(ends_.size()); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
  std::string bytes_;           // of all tokens, in order of their ids
  std::vector<uint32_t> ends_;  // where a token's bytes end; they begin where those of the id before end
};

/// An id as a file gives it; throws Error (exit 4) naming `where` and the token if it can be none.
int32_t checked_id(int64_t id, const std::string& token, const std::string& where);

}  // namespace compeer::language
