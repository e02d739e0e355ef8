#include "language/symbols.h"

#include <algorithm>

#include "base/error.h"
#include "language/spelling.h"
#include "language/text.h"
#include "language/token_decoder.h"

namespace compeer::language {

Symbols::Symbols(const Vocabulary& vocabulary, const SymbolSettings& settings, const std::string& where)
    : byte_level_(settings.byte_level), byte_fallback_(settings.byte_fallback), fuse_unk_(settings.fuse_unk) {
  for (size_t b = 0; b < 256; ++b) {
    spelled_bytes_[b] = vocabulary.id(spell_bytes(std::string(1, static_cast<char>(b))));
    byte_tokens_[b] = vocabulary.id(byte_token(static_cast<uint8_t>(b)));
  }
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const auto token = vocabulary.spelled(id);
    if (token.empty()) continue;
    if (const auto [code, length] = first_character(token); length == token.size()) characters_[code] = id;
  }
  const auto missing = [](const auto& tokens) {
    return static_cast<int>(std::count(tokens.begin(), tokens.end(), -1));
  };
  const int without_token = byte_level_ ? missing(spelled_bytes_) : byte_fallback_ ? missing(byte_tokens_) : 256;
  if (without_token == 0) return;
  if (settings.unk_token.empty()) {
    lost_bytes_ = without_token;
  } else if (unknown_ = vocabulary.id(settings.unk_token); unknown_ < 0) {
    throw Error(where, "its unk_token '" + settings.unk_token.substr(0, 100) + "' is not in the vocabulary", "",
                Exit::data);
  }
}

void Symbols::split(std::string_view word, std::vector<int32_t>& ids) const {
  const auto spelled = [&](char c) { return spelled_bytes_[static_cast<unsigned char>(c)]; };
  if (!byte_level_) {
    split_characters(word, ids);
  } else if (std::all_of(word.begin(), word.end(), [&](char c) { return spelled(c) >= 0; })) {
    for (const char c : word) ids.push_back(spelled(c));
  } else {
    split_characters(spell_bytes(word), ids);
  }
}

// An unknown token waits, in case more are to be fused with it, and tokens of bytes don't end the wait.
void Symbols::split_characters(std::string_view word, std::vector<int32_t>& ids) const {
  bool waiting = false;
  const auto flush = [&] {
    if (waiting) ids.push_back(unknown_);
  };
  while (!word.empty()) {
    const auto [code, length] = first_character(word);
    const auto character = word.substr(0, length);
    word.remove_prefix(length);
    if (const auto known = characters_.find(code); known != characters_.end()) {
      flush();
      waiting = false;
      ids.push_back(known->second);
    } else if (!(byte_fallback_ && add_bytes(character, ids)) && unknown_ >= 0) {
      if (!fuse_unk_) flush();
      waiting = true;
    }
  }
  flush();
}

bool Symbols::add_bytes(std::string_view character, std::vector<int32_t>& ids) const {
  const auto token = [&](char c) { return byte_tokens_[static_cast<unsigned char>(c)]; };
  if (!std::all_of(character.begin(), character.end(), [&](char c) { return token(c) >= 0; })) return false;
  for (const char c : character) ids.push_back(token(c));
  return true;
}

}  // namespace compeer::language
