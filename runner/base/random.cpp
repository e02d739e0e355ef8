// Counter-based random numbers by Philox 4x32-10, so that results depend neither on the order of draws nor on ranks.
#include "base/random.h"

#include <cmath>
#include <numbers>

namespace compeer {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> x, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * x[0], p1 = uint64_t{0xCD9E8D57u} * x[2];
    x = {static_cast<uint32_t>(p1 >> 32) ^ x[1] ^ key[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ x[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return x;
}

std::array<uint32_t, 4> random_bits(uint64_t seed, Stream stream, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  // The stream is multiplied by odd constants before it is mixed into the key, so that small seeds and small stream
  // numbers do not give the same key.
  const auto low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
  const auto number = static_cast<uint32_t>(stream);
  return philox({a, b, c, d}, {low ^ (number * 0x85EBCA6Bu), high ^ (number * 0xC2B2AE35u)});
}

namespace {

// Returns a number in [0, 1) with 53 bits.
double unit(uint32_t high, uint32_t low) { return static_cast<double>((uint64_t{high} << 32 | low) >> 11) * 0x1.0p-53; }

}  // namespace

double uniform(uint64_t seed, Stream stream, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const auto x = random_bits(seed, stream, a, b, c, d);
  return unit(x[0], x[1]);
}

uint64_t below(uint64_t n, uint64_t seed, Stream stream, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const auto x = random_bits(seed, stream, a, b, c, d);
  return static_cast<uint64_t>((static_cast<unsigned __int128>(uint64_t{x[0]} << 32 | x[1]) * n) >> 64);
}

double normal(uint64_t seed, Stream stream, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const auto x = random_bits(seed, stream, a, b, c, d);
  const double u = 1.0 - unit(x[0], x[1]);  // (0, 1], so the logarithm is finite
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * unit(x[2], x[3]));
}

}  // namespace compeer
