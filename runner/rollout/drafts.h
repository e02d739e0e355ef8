#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

// Draft tokens for speculative decoding: guesses of the next tokens of a sequence, which the model verifies in one
// forward pass. Wrong guesses cost time, but don't change results. In comments, the follower of three tokens is the
// token after them.

namespace compeer::rollout {

/// N-gram draft model: proposes the token that recently followed the last three tokens most often, in prompts and
/// completions alike. A hash table of fixed size; not thread-safe.
class NgramDrafts {
 public:
  /// Records that the last of `tokens` followed the three before it. Does nothing for fewer than four tokens. To add a
  /// text, call this once per token, with the text up to and including that token.
  void add(std::span<const int32_t> tokens);
  /// Returns up to `most` draft tokens to follow `tokens`, one after another. Stops early if the three tokens before
  /// were not recorded, or if their most frequent follower was recorded only once.
  std::vector<int32_t> propose(std::span<const int32_t> tokens, int64_t most) const;

 private:
  // One slot of the hash table: the likeliest follower of one 3-gram. Each observation of another 3-gram or follower in
  // the same slot decrements `times`; at 0 the slot is overwritten.
  struct Follower {
    uint64_t key = 0;   // hash of the three tokens
    int32_t token = 0;  // id of the follower
    int32_t times = 0;  // observations minus decrements, limited to a small maximum
  };
  static constexpr size_t slots = 1 << 16;  // size of the hash table; its index is the upper 16 bits of `key`

  std::vector<Follower> followers_ = std::vector<Follower>(slots);
};

/// Chooses how many tokens to draft per sequence in each forward pass: the length (number of draft tokens) with the
/// highest measured throughput (tokens per second) for a similar number of sequences. Other lengths are retried
/// periodically.
class DraftLength {
 public:
  /// Most rows of a forward pass with draft tokens; a row is one token. Beyond it the time of a pass grows with its
  /// rows, so drafting saves nothing.
  static constexpr int64_t most_rows = 64;

  DraftLength() = default;  ///< chooses by measured throughput
  /// Always drafts `fixed` tokens, as far as `most_rows` allows, without measuring.
  explicit DraftLength(int64_t fixed) : fixed_(fixed) {}

  /// Returns the number of tokens to draft for each of `sequences` (at least 1) sequences in the next pass; 0 for more
  /// than 32 sequences.
  int64_t next(int64_t sequences);
  /// Reports what the pass chosen by the last call of `next` achieved: tokens sampled, over all sequences, and its
  /// duration. May be skipped, for passes that did other work as well.
  void record(int64_t tokens, double seconds);

 private:
  static constexpr std::array<int64_t, 4> lengths = {0, 1, 3, 7};  // numbers of draft tokens to choose from
  // Throughput of one draft length: tokens sampled and seconds taken by earlier passes, exponentially decayed.
  struct Rate {
    double tokens = 0, seconds = 0;
  };
  // Measurements for numbers of sequences in [2^k, 2^(k+1)). A trial is a pass that uses the next of `lengths` in turn,
  // not the best.
  struct Trials {
    std::array<Rate, lengths.size()> rates;              // by index into `lengths`
    size_t best = 0, last_tried = 0;                     // indices into `lengths`: highest throughput; last trial
    int64_t passes_since_trial = 0, trial_interval = 1;  // passes since the last trial; passes between two trials
  };

  int64_t fixed_ = -1;                // the fixed draft length; -1: choose by measured throughput
  std::array<Trials, 7> trials_;      // by k = floor(log2(number of sequences))
  Trials* trials_of_pass_ = nullptr;  // element of `trials_` of the pass chosen by `next`; null: it is not measured
  size_t length_of_pass_ = 0;         // index into `lengths` of the draft length of that pass
};

}  // namespace compeer::rollout
