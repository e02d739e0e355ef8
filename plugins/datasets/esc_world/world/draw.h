#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace compeer::esc_world {

/// Where in the world something is drawn. Every part of the world is a function of a place.
struct DrawKey {
  uint64_t seed = 0;   ///< the world's, not the run's
  uint32_t split = 0;  ///< 0 train, 1 valid, 2 test
  uint32_t dialogue = 0;
  uint32_t round = 0;
};

/// What is drawn there. A new purpose gets a new number, so that older draws stay what they were.
enum class Purpose : uint32_t { start = 1, change = 2, utterance = 3, supporter = 4, answer = 5, choice = 6 };

/// Numbers for one purpose at one place: the same place and purpose give the same numbers, whoever asks and when.
class Draw {
 public:
  Draw(const DrawKey& place, Purpose purpose) : place_(place), purpose_(purpose) {}

  double uniform();                                     ///< in [0, 1)
  bool chance(double probability);                      ///< true with that probability; always uses one number
  size_t below(size_t count);                           ///< in {0, ..., count - 1}; count >= 1
  size_t weighted(const std::vector<double>& weights);  ///< index with probability in proportion to its weight

  template <class Container>
  const auto& pick(const Container& from) {
    return from[below(from.size())];
  }

 private:
  DrawKey place_;
  Purpose purpose_;
  uint32_t next_ = 0;
};

}  // namespace compeer::esc_world
