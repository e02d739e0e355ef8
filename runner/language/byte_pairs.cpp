// Byte-pair encoding with a hash table of merges and a heap of candidates.
#include "language/byte_pairs.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "language/text.h"
#include "language/tokenizer_pipeline.h"
#include "language/vocabulary.h"

namespace compeer::language {

namespace {

uint64_t key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

size_t scatter(uint64_t key) { return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 29); }

}  // namespace

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

// An unknown token is held back in case more are fused with it; byte tokens in between don't end the run.
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

// A symbol of the word: a node of a linked list, so that a merge moves nothing. id -1: merged into its predecessor.
struct BytePairs::Part {
  int32_t id, previous, next;
};

// A possible merge of node `left` with its successor. Outdated once either has been merged otherwise.
struct BytePairs::Candidate {
  int32_t rank, left, result;
  bool operator<(const Candidate& other) const {  // the top of the heap is the largest: lowest rank, then leftmost
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

BytePairs::BytePairs(const Vocabulary& vocabulary, const SymbolSettings& settings, const std::vector<Pair>& merges,
                     const std::string& where)
    : symbols_(vocabulary, settings, where) {
  const auto id = [&](const std::string& token) {
    const int32_t found = vocabulary.id(token);
    if (found < 0)
      throw Error(where, "a merge names '" + token.substr(0, 100) + "', which is not in the vocabulary", "",
                  Exit::data);
    return found;
  };
  merges_.assign(std::bit_ceil(2 * merges.size() + 2), Merge{0});
  int32_t rank = 0;
  for (const auto& [left, right] : merges) insert({key(id(left), id(right)), rank++, id(left + right)});
}

// If a pair is in the list twice, the later entry counts.
void BytePairs::insert(const Merge& merge) {
  const size_t mask = merges_.size() - 1;
  size_t at = scatter(merge.key) & mask;
  while (merges_[at].rank >= 0 && merges_[at].key != merge.key) at = (at + 1) & mask;
  merges_[at] = merge;
}

const BytePairs::Merge* BytePairs::find(int32_t left, int32_t right) const {
  const size_t mask = merges_.size() - 1;
  const uint64_t wanted = key(left, right);
  for (size_t at = scatter(wanted) & mask; merges_[at].rank >= 0; at = (at + 1) & mask) {
    if (merges_[at].key == wanted) return &merges_[at];
  }
  return nullptr;
}

void BytePairs::encode(std::string_view word, std::vector<int32_t>& ids) const {
  std::vector<int32_t> symbols;
  symbols_.split(word, symbols);
  const auto n = static_cast<int32_t>(symbols.size());
  std::vector<Part> parts(symbols.size());
  std::vector<Candidate> heap;
  const auto at = [&](int32_t i) -> Part& { return parts[static_cast<size_t>(i)]; };
  const auto consider = [&](int32_t left) {
    if (left < 0 || at(left).next >= n) return;
    if (const Merge* merge = find(at(left).id, at(at(left).next).id)) {
      heap.push_back({merge->rank, left, merge->result});
      std::push_heap(heap.begin(), heap.end());
    }
  };
  for (int32_t i = 0; i < n; ++i) at(i) = {symbols[static_cast<size_t>(i)], i - 1, i + 1};
  for (int32_t i = 0; i + 1 < n; ++i) consider(i);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Candidate best = heap.back();
    heap.pop_back();
    Part& left = at(best.left);
    if (left.id < 0 || left.next >= n) continue;
    Part& right = at(left.next);
    const Merge* merge = find(left.id, right.id);
    if (!merge || merge->result != best.result) continue;
    left = {merge->result, left.previous, right.next};
    right.id = -1;
    if (left.next < n) at(left.next).previous = best.left;
    consider(left.previous);
    consider(best.left);
  }
  for (int32_t i = 0; i < n; i = at(i).next) ids.push_back(at(i).id);
}

}  // namespace compeer::language
