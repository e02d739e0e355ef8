#include "train/batch/order.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"

namespace compeer::train {

namespace {

// A Feistel network over the next power of four is a permutation; walking on until the result is below `size` keeps it
// one (cycle walking, at most about four rounds on average).
int64_t permuted(uint64_t seed, uint64_t position, int64_t size) {
  const auto n = static_cast<uint64_t>(size);
  const auto epoch = static_cast<uint32_t>(position / n);
  uint32_t half = 1;
  while ((uint64_t{1} << (2 * half)) < n) ++half;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  uint64_t x = position % n;
  do {
    uint64_t left = x >> half, right = x & mask;
    for (uint32_t round = 0; round < 4; ++round) {
      const uint64_t mixed = random_bits(seed, Stream::shuffle, epoch, round, static_cast<uint32_t>(right))[0] & mask;
      const uint64_t next = left ^ mixed;
      left = right;
      right = next;
    }
    x = left << half | right;
  } while (x >= n);
  return static_cast<int64_t>(x);
}

}  // namespace

int64_t record_at(uint64_t seed, uint64_t position, int64_t size, int64_t neighbours) {
  const auto n = static_cast<uint64_t>(neighbours);
  return permuted(seed, position / n, size / neighbours) * neighbours + static_cast<int64_t>(position % n);
}

void check_neighbours(int64_t neighbours, const std::string& split, int64_t size) {
  if (size % neighbours == 0) return;
  throw Error("sft.neighbours",
              fmt::format("is {}, but split '{}' has {} examples, which it doesn't divide", neighbours, split, size),
              "it is meant for data sets with so many examples of each record, as cer has three with view = \"prm\"",
              Exit::spec);
}

}  // namespace compeer::train
