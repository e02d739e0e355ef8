#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace compeer::rollout {

/// N-gram draft model for speculative decoding: proposes the token that recently followed the last three tokens most
/// often, in prompts and completions alike. A hash table of fixed size; not thread-safe.
class NgramDrafts {
 public:
  /// Records that the last of `tokens` followed the three before it. Does nothing for fewer than four tokens. To add a
  /// text, call this once per token, with the text up to and including that token.
  void add(std::span<const int32_t> tokens);
  /// Returns up to `most` draft tokens to follow `tokens`. Stops early where the three tokens before were not seen, or
  /// their most frequent follower was seen only once.
  std::vector<int32_t> propose(std::span<const int32_t> tokens, int64_t most) const;

 private:
  // The candidate follower of one 3-gram. Each observation of another 3-gram or token in the same slot decrements
  // `times`; at 0 the slot is overwritten.
  struct Follower {
    uint64_t key = 0;   // hash of the three tokens
    int32_t token = 0;  // the token that followed them
    int32_t times = 0;  // number of observations minus decrements; 0: the slot is free
  };
  static constexpr size_t slots = 1 << 16;  // size of the hash table

  std::vector<Follower> followers_ = std::vector<Follower>(slots);
};

/// Chooses how many tokens to draft per sequence: the length with the highest measured throughput (tokens per second)
/// for a similar number of sequences. Other lengths are retried periodically.
class DraftLength {
 public:
  /// Most rows of a forward pass with draft tokens. Beyond it the time of a pass grows with its rows, so drafting saves
  /// nothing.
  static constexpr int64_t most_rows = 64;

  DraftLength() = default;
  /// Always drafts `fixed` tokens, as far as `most_rows` allows, without measuring.
  explicit DraftLength(int64_t fixed) : fixed_(fixed) {}

  /// Returns the number of tokens to draft for each of `sequences` (at least 1) sequences in the next pass; 0 for more
  /// than 32 sequences.
  int64_t next(int64_t sequences);
  /// Reports what the pass chosen by the last call of `next` achieved: tokens sampled, over all sequences, and its
  /// duration. May be skipped, for passes that did other work as well.
  void record(int64_t tokens, double seconds);

 private:
  static constexpr std::array<int64_t, 4> lengths = {0, 1, 3, 7};  // the numbers of draft tokens to choose from
  // Tokens and seconds of earlier passes, exponentially decayed.
  struct Rate {
    double tokens = 0, seconds = 0;
  };
  // Measurements for numbers of sequences in [2^k, 2^(k+1)).
  struct Trials {
    std::array<Rate, lengths.size()> rates;              // by index into `lengths`
    size_t best = 0, last_tried = 0;                     // indices into `lengths`
    int64_t passes_since_trial = 0, trial_interval = 1;  // passes since the last trial; passes between two trials
  };

  int64_t fixed_ = -1;                // -1: measure
  std::array<Trials, 7> trials_;      // by k
  Trials* trials_of_pass_ = nullptr;  // null: the pass is not measured
  size_t length_of_pass_ = 0;         // index into `lengths`
};

}  // namespace compeer::rollout
