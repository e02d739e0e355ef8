#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace compeer::esc_world {

/// Address of random numbers in the world. Every part of the world is a function of such an address.
struct RandomAddress {
  uint64_t seed = 0;   ///< seed of the world, not of the run
  uint32_t split = 0;  ///< 0: train, 1: valid, 2: test
  uint32_t dialogue = 0;
  uint32_t round = 0;
};

/// Purposes of random numbers. New purposes get new numbers, so that existing draws do not change.
enum class Purpose : uint32_t { start = 1, change = 2, utterance = 3, supporter = 4, answer = 5, choice = 6 };

/// A sequence of random numbers for one purpose at one address. It depends on these only.
class Draw {
 public:
  Draw(const RandomAddress& place, Purpose purpose) : place_(place), purpose_(purpose) {}

  double uniform();                 ///< returns a number in [0, 1)
  bool chance(double probability);  ///< returns true with this probability; always consumes one number
  size_t below(size_t count);       ///< returns an index in {0, ..., count - 1}; count >= 1
  /// Returns an index with probability proportional to its weight.
  size_t weighted(const std::vector<double>& weights);

  /// Returns a random element.
  template <class Container>
  const auto& pick(const Container& from) {
    return from[below(from.size())];
  }

 private:
  RandomAddress place_;
  Purpose purpose_;
  uint32_t next_ = 0;  // index of the next random number
};

}  // namespace compeer::esc_world
