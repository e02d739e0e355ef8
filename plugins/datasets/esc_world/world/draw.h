#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

// Random numbers of the generated data set esc_world, dialogues between a rule-based seeker (a person in need of
// emotional support) and a scripted supporter. The numbers depend only on an address and a purpose, so any rank can
// generate any part of any dialogue, in any order, with the same result.

namespace compeer::esc_world {

/// Address of random numbers: a round of a dialogue. A round is an utterance of the seeker and the reply to it.
struct RandomAddress {
  uint64_t seed = 0;      ///< seed of the world, not of the run
  uint32_t split = 0;     ///< 0: train, 1: valid, 2: test
  uint32_t dialogue = 0;  ///< index of the dialogue in its split
  uint32_t round = 0;     ///< from 0
};

/// Purposes of random numbers. Different purposes have independent numbers at the same address. A new purpose gets a
/// new value, so that existing numbers do not change.
enum class Purpose : uint32_t {
  start = 1,      ///< the seeker's state at the beginning
  change = 2,     ///< the change of the seeker's state after a reply
  utterance = 3,  ///< the words of the seeker's utterance
  supporter = 4,  ///< a reply of the writer within the dialogue
  answer = 5,     ///< a completion of the writer for the end of a history
  choice = 6,     ///< the writer of a dialogue, and the round of its example
};

/// The sequence of random numbers for one purpose at one address. Each call of a method consumes one number.
class Draw {
 public:
  /// Begins the sequence for `purpose` at the address `place`.
  Draw(const RandomAddress& place, Purpose purpose) : place_(place), purpose_(purpose) {}

  double uniform();                 ///< returns a number in [0, 1)
  bool chance(double probability);  ///< returns true with this probability; always consumes one number
  size_t below(size_t count);       ///< returns an index in {0, ..., count - 1}; count >= 1
  /// Returns an index of `weights` with probability proportional to its weight.
  size_t weighted(const std::vector<double>& weights);

  /// Returns a random element; the container must not be empty.
  template <class Container>
  const auto& pick(const Container& from) {
    return from[below(from.size())];
  }

 private:
  RandomAddress place_;
  Purpose purpose_;
  uint32_t next_ = 0;  // index of the next number of the sequence
};

}  // namespace compeer::esc_world
