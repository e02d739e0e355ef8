#pragma once
#include <array>
#include <cstdint>

/// Counter-based random numbers (Philox). A number is a pure function of a seed, a stream and up to four counters, not
/// of previous calls, so any rank or thread can compute any number in any order with the same result.
namespace compeer {

/// Independent random streams, one per purpose. A new purpose gets a new number; numbers are never reused.
enum class Stream : uint32_t {
  weights = 1,        ///< random weights of models for measurements
  shuffle = 2,        ///< order of training records; random tokens for measurements
  sampling = 3,       ///< sampling of tokens by a language model
  world = 4,          ///< synthetic dialogues of the dataset esc_world
  plugin = 5,         ///< random numbers that the program provides to plugins
  lua = 6,            ///< math.random in Lua scripts
  bootstrap = 7,      ///< bootstrap confidence intervals
  choice = 8,         ///< choice of tokens in the loss Clip-Cov
  replacement = 9,    ///< prompts that replace those with equal rewards in their group
  presentation = 10,  ///< order of records and answers on annotation pages
  other_record = 11   ///< records that replace unusable ones
};

/// Computes Philox 4x32-10 as published (Salmon et al., 2011): returns 128 random bits for a counter, by a bijection
/// that the key chooses.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Returns 128 random bits for a seed, a stream and the counters a, b, c, d. The caller gives each number of a stream
/// its own counters, such as step, prompt, completion and position. The same holds for the functions below.
std::array<uint32_t, 4> random_bits(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0,
                                    uint32_t d = 0);

/// Returns a uniform number in [0, 1) with 53 random bits.
double uniform(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

/// Returns a uniform integer in {0, ..., n - 1} for n >= 1.
uint64_t below(uint64_t n, uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

/// Returns a standard normal number (Box-Muller).
double normal(uint64_t seed, Stream stream, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);

}  // namespace compeer
