#include "rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace compeer::decoder {

namespace {

// Long waves are stretched, short ones kept; between the two borders, a mixture.
float llama3(float frequency, const Rope& rope) {
  const auto factor = static_cast<float>(rope.factor), original = static_cast<float>(rope.original),
             low = static_cast<float>(rope.low_freq_factor), high = static_cast<float>(rope.high_freq_factor);
  const float wave = 2 * std::numbers::pi_v<float> / frequency;
  if (wave > original / low) return frequency / factor;
  if (wave < original / high) return frequency;
  const float share = (original / wave - low) / (high - low);
  return (1 - share) * frequency / factor + share * frequency;
}

// The pair whose wave turns `turns` times within the original context.
double pair_of(double turns, const Rope& rope, int64_t dim) {
  return static_cast<double>(dim) * std::log(static_cast<double>(rope.original) / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(rope.theta));
}

// Pairs below the first border are kept, those above the second stretched; between them, a mixture. `powers`: the
// inverses of the frequencies.
std::vector<float> yarn(const std::vector<float>& powers, const Rope& rope, int64_t dim) {
  double low = pair_of(rope.beta_fast, rope, dim), high = pair_of(rope.beta_slow, rope, dim);
  if (rope.truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, static_cast<double>(dim - 1));
  if (low == high) high += 0.001;
  std::vector<float> all;
  for (size_t i = 0; i < powers.size(); ++i) {
    const float along = (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1 - std::clamp(along, 0.0f, 1.0f);
    all.push_back(1 / (static_cast<float>(rope.factor) * powers[i]) * (1 - kept) + 1 / powers[i] * kept);
  }
  return all;
}

}  // namespace

double yarn_magnitude(double factor, double scale) { return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0; }

std::vector<float> frequencies(const Rope& rope, int64_t dim) {
  std::vector<float> powers, all;
  for (int64_t i = 0; i < dim; i += 2)
    powers.push_back(std::pow(static_cast<float>(rope.theta), static_cast<float>(i) / static_cast<float>(dim)));
  if (rope.type == "yarn") return yarn(powers, rope, dim);
  for (const float power : powers) {
    const float frequency = 1 / power;
    all.push_back(rope.type == "linear"   ? frequency / static_cast<float>(rope.factor)
                  : rope.type == "llama3" ? llama3(frequency, rope)
                                          : frequency);
  }
  return all;
}

}  // namespace compeer::decoder
