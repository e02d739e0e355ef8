#include "rollout/sampling.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "kernels/logprob.h"

namespace compeer::rollout {

namespace {

int32_t choose(const float* logits, int64_t vocabulary, float inverse_temperature, double log_sum, double u) {
  double total = 0;
  int32_t last = 0;
  for (int64_t i = 0; i < vocabulary; ++i) {
    const double p = std::exp(static_cast<double>(logits[i] * inverse_temperature) - log_sum);
    if (p > 0) last = static_cast<int32_t>(i);
    total += p;
    if (u < total) return last;
  }
  return last;  // u fell into the rounding error at the end
}

}  // namespace

Token sample(const float* logits, int64_t vocabulary, const Sampling& sampling, const Draw& draw) {
  const auto inverse_temperature = static_cast<float>(1.0 / sampling.temperature);
  const auto distribution = kernels::distribution(logits, vocabulary, inverse_temperature);
  int32_t id = 0;
  if (sampling.greedy) {
    id = static_cast<int32_t>(std::max_element(logits, logits + vocabulary) - logits);
  } else {
    const double u = uniform(draw.seed, Stream::sampling, draw.step, draw.prompt, draw.completion, draw.position);
    id = choose(logits, vocabulary, inverse_temperature, distribution.log_sum, u);
  }
  return {id, distribution.log_prob(logits[id], inverse_temperature), static_cast<float>(distribution.entropy)};
}

}  // namespace compeer::rollout
