#include "language/byte_pairs.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace compeer::language {

namespace {

uint64_t key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

size_t scatter(uint64_t key) { return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 29); }

}  // namespace

// A token of the word being built: a place in a list, so that joining two moves nothing.
struct BytePairs::Part {
  int32_t id, previous, next;
};

// A pair that may be joined. It is out of date once either side has been joined with something else.
struct BytePairs::Candidate {
  int32_t rank, left, result;
  bool operator<(const Candidate& other) const {  // the heap's top is the largest
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

// Of a pair that stands twice in the list, the later line counts.
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
