#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace compeer::rollout {

/// What may come next, by what was read and said before: behind any three tokens, what stood there most often of late.
class Drafts {
 public:
  /// Learns the last of these tokens; those before it are known.
  void learn(std::span<const int32_t> tokens);
  /// What probably comes behind these, as long as that was seen more than once: at most `most` tokens.
  std::vector<int32_t> guess(std::span<const int32_t> tokens, int64_t most) const;

 private:
  // Of some three tokens. Others may have to share its place, and take it over where they come more often.
  struct Follower {
    uint64_t key = 0;
    int32_t token = 0;
    int32_t times = 0;
  };
  static constexpr size_t places = 1 << 16;

  std::vector<Follower> followers_ = std::vector<Follower>(places);
};

/// How many tokens to guess ahead of each sequence: as many as gave most tokens a second, tried out as it goes.
class DraftLength {
 public:
  /// More rows than this in a pass take longer as they are more, so guesses don't save anything.
  static constexpr int64_t most_rows = 64;

  DraftLength() = default;
  /// Without trying.
  explicit DraftLength(int64_t fixed) : fixed_(fixed) {}

  /// For the next pass over so many sequences.
  int64_t next(int64_t sequences);
  /// What that pass gave.
  void measured(int64_t tokens, double seconds);

 private:
  static constexpr std::array<int64_t, 4> lengths = {0, 1, 3, 7};
  // Tokens and seconds, older ones counting less.
  struct Rate {
    double tokens = 0, seconds = 0;
  };
  // Numbers of sequences that differ by less than a factor of two.
  struct Trials {
    std::array<Rate, lengths.size()> rates;
    size_t best = 0, last_tried = 0;
    int64_t since = 0, patience = 1;  // passes since the last trial; how many there are between two
  };

  int64_t fixed_ = -1;
  std::array<Trials, 7> trials_;
  Trials* trials_of_pass_ = nullptr;
  size_t length_of_pass_ = 0;
};

}  // namespace compeer::rollout
