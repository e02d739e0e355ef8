// Random numbers of the world, addressed by place and purpose.
#include "datasets/esc_world/world/draw.h"

#include "base/random.h"

namespace compeer::esc_world {

double Draw::uniform() {
  const uint32_t stream = place_.split << 8 | static_cast<uint32_t>(purpose_);
  return compeer::uniform(place_.seed, Stream::world, stream, place_.dialogue, place_.round, next_++);
}

bool Draw::chance(double probability) { return uniform() < probability; }

size_t Draw::below(size_t count) {
  // 53 random bits for at most a few hundred values: the bias is negligible, and the result is always below `count`.
  return static_cast<size_t>(uniform() * static_cast<double>(count));
}

size_t Draw::weighted(const std::vector<double>& weights) {
  double total = 0;
  for (double weight : weights) total += weight;
  double left = uniform() * total;
  for (size_t i = 0; i + 1 < weights.size(); ++i) {
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return weights.size() - 1;
}

}  // namespace compeer::esc_world
