#pragma once
#include <array>
#include <cstdint>

namespace compeer {

/// Streams keep draws for different purposes apart; a new purpose gets a new number, none is ever reused.
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

/// Counter-based random numbers: a pure function of (seed, stream, a, b, c, d), never of a
/// sequence of calls, so any rank or thread can make any of them, in any order, with the same result.
std::array<uint32_t, 4> random_bits(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0,
                                    uint32_t d = 0);

/// Uniform in [0, 1), 53 bits.
double uniform(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

/// Uniform in {0, ..., n - 1}, n >= 1.
uint64_t below(uint64_t n, uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

/// Standard normal (Box-Muller).
double normal(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

}  // namespace compeer
