#include "rollout/nucleus.h"

#include <array>
#include <bit>
#include <vector>

namespace compeer::rollout {

namespace {

// A weight's bits order like the weight: 11 leading bits, then 10, then the last 10.
struct Digit {
  int shift;
  uint32_t mask;
};
constexpr std::array<Digit, 3> kDigits{{{20, 2047}, {10, 1023}, {0, 1023}}};

uint32_t bits(float weight) { return std::bit_cast<uint32_t>(weight); }

}  // namespace

Cut nucleus(std::span<const float> weights, double target) {
  std::vector<float> inside(weights.begin(), weights.end());
  double above = 0;  // weight of what is certainly in the set
  for (const Digit& digit : kDigits) {
    std::array<double, 2048> mass{};
    for (const float w : inside) mass[(bits(w) >> digit.shift) & digit.mask] += static_cast<double>(w);
    uint32_t bucket = digit.mask, lowest = 0;
    while (lowest < digit.mask && !(mass[lowest] > 0)) ++lowest;
    while (bucket > lowest && above + mass[bucket] < target) above += mass[bucket--];
    std::erase_if(inside, [&](float w) { return ((bits(w) >> digit.shift) & digit.mask) != bucket; });
    if (inside.empty()) return {};  // none of them weighs anything
  }
  const float least = inside.front();
  int64_t ties = 0;
  while (ties < static_cast<int64_t>(inside.size()) && above < target) above += static_cast<double>(least), ++ties;
  return {least, ties};
}

}  // namespace compeer::rollout
