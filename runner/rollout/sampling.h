#pragma once
#include <cstdint>

namespace compeer::rollout {

struct Sampling {
  double temperature = 1.0;
  bool greedy = false;
  int64_t max_new_tokens = 64;
  int64_t concurrent = 64;  ///< sequences decoded at once, at least one group
};

/// Which random number a token is drawn with: a function of its place alone, so any rank, batch or order gives the
/// same.
struct Draw {
  uint64_t seed = 0;
  uint32_t step = 0, prompt = 0, completion = 0, position = 0;
};

struct Token {
  int32_t id = 0;
  float log_prob = 0;  ///< of the tempered, unfiltered distribution
  float entropy = 0;   ///< of the same, in nats
};

/// One token from a row of logits [vocabulary]: the first i with u < p_0 + ... + p_i (summed in double precision, in
/// order), or the first of the largest if greedy.
Token sample(const float* logits, int64_t vocabulary, const Sampling& sampling, const Draw& draw);

}  // namespace compeer::rollout
