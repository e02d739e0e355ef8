#pragma once
#include <array>
#include <cstdint>

namespace compeer {

/// Independent random streams, one per purpose. A new purpose gets a new number; numbers are never reused.
enum class Stream : uint32_t {
  weights = 1,
  shuffle = 2,
  sampling = 3,
  world = 4,
  plugin = 5,
  lua = 6,
  bootstrap = 7,
  choice = 8,
  replacement = 9,
  presentation = 10,
  other_record = 11
};

/// Philox 4x32-10 as published (Salmon et al., 2011): a bijection of the counter, chosen by the key.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Returns 128 counter-based random bits: a pure function of (seed, stream, a, b, c, d), not of previous calls, so any
/// rank or thread can compute any of them in any order with the same result.
std::array<uint32_t, 4> random_bits(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0,
                                    uint32_t d = 0);

/// Returns a uniform number in [0, 1) with 53 random bits.
double uniform(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

/// Returns a uniform integer in {0, ..., n - 1}, n >= 1.
uint64_t below(uint64_t n, uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

/// Returns a standard normal number (Box-Muller).
double normal(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

}  // namespace compeer
