// Samples a token from a row of logits: temperature, filters and the random draw, without sorting the vocabulary.
#include "rollout/sampling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "base/random.h"
#include "kernels/sampling.h"

namespace compeer::rollout {

namespace {

size_t tiles_of(int64_t vocabulary) {
  return static_cast<size_t>((vocabulary + kernels::vocabulary_tile - 1) / kernels::vocabulary_tile);
}

// Margin for the rounding of scaled logits that are compared with a bound: a few candidates too many do no harm.
constexpr float slack = 1e-3f;

// Bits of a non-negative float order like its value: radix digits of 11 leading bits, then 10, then the last 10.
struct Digit {
  int shift;
  uint32_t mask;
};
constexpr std::array<Digit, 3> digits{{{20, 2047}, {10, 1023}, {0, 1023}}};

uint32_t bits(float weight) { return std::bit_cast<uint32_t>(weight); }

}  // namespace

double uniform_of(const TokenDraw& draw) {
  return uniform(draw.seed, Stream::sampling, draw.step, draw.prompt, draw.completion, draw.position);
}

Sampler::Sampler(const Sampling& sampling, int64_t vocabulary)
    : vocabulary_(vocabulary), tiles_(tiles_of(vocabulary)), ids_(static_cast<size_t>(vocabulary) + 16) {
  use(sampling);
}

void Sampler::use(const Sampling& sampling) {
  sampling_ = sampling;
  scale_ = static_cast<float>(1.0 / sampling.temperature);
}

SampledToken Sampler::sample(float* logits, std::span<const int32_t> seen, const TokenDraw& draw) {
  const auto plain = measure(logits);
  if (!std::isfinite(plain.entropy)) return {0, std::nanf(""), std::nanf("")};
  std::vector<float> before;
  if (sampling_.needs_seen()) {
    for (const int32_t id : seen) before.push_back(logits[id]);
    penalize(logits, seen);
  }
  SampledToken token;
  const double u = uniform_of(draw);
  if (sampling_.greedy) {
    token.id = static_cast<int32_t>(kernels::argmax(logits, vocabulary_));
  } else if (filters()) {
    if (sampling_.needs_seen()) measure(logits);
    filter(logits);
    token.id =
        ids_[static_cast<size_t>(kernels::pick(weights_.data(), count_, u * kernels::total(weights_.data(), count_)))];
  } else {
    if (sampling_.needs_seen()) measure(logits);
    token.id = sample_unfiltered(logits, u);
  }
  for (size_t i = 0; i < before.size(); ++i) logits[seen[i]] = before[i];
  token.log_prob = plain.log_prob(logits[token.id], scale_);
  token.entropy = static_cast<float>(plain.entropy);
  return token;
}

FilteredDistribution Sampler::filtered_distribution(float* logits, std::span<const int32_t> seen) {
  penalize(logits, seen);
  measure(logits);
  filter(logits);
  FilteredDistribution result{{ids_.begin(), ids_.begin() + count_}, {}};
  float best = logits[ids_.front()];
  for (const int32_t id : result.ids) best = std::max(best, logits[id]);
  double sum = 0;
  for (const int32_t id : result.ids) {
    result.probabilities.push_back(
        std::exp((static_cast<double>(logits[id]) - static_cast<double>(best)) / sampling_.temperature));
    sum += result.probabilities.back();
  }
  for (double& p : result.probabilities) p /= sum;
  return result;
}

void Sampler::penalize(float* logits, std::span<const int32_t> seen) const {
  const auto penalty = static_cast<float>(sampling_.repetition_penalty);
  for (const int32_t id : seen) logits[id] = logits[id] > 0 ? logits[id] / penalty : logits[id] * penalty;
}

kernels::Distribution Sampler::measure(const float* logits) {
  const auto distribution = kernels::distribution(logits, vocabulary_, scale_, tiles_.data());
  top_ = tiles_.front().max;
  for (const auto& tile : tiles_) top_ = std::max(top_, tile.max);
  mass_ = 0;
  for (const auto& tile : tiles_)
    mass_ += static_cast<double>(tile.sum) * std::exp(static_cast<double>(tile.max) - static_cast<double>(top_));
  return distribution;
}

// Inverse transform sampling: finds the tile in which the cumulative sum passes u, then the token inside it.
int32_t Sampler::sample_unfiltered(const float* logits, double u) {
  double left = u * mass_, unit = 1;
  size_t tile = 0;
  for (;; ++tile) {
    unit = std::exp(static_cast<double>(tiles_[tile].max) - static_cast<double>(top_));
    const double mass = static_cast<double>(tiles_[tile].sum) * unit;
    if (left < mass || tile + 1 == tiles_.size()) break;
    left -= mass;
  }
  const int64_t first = static_cast<int64_t>(tile) * kernels::vocabulary_tile;
  const int64_t columns = std::min(kernels::vocabulary_tile, vocabulary_ - first);
  weights_.resize(static_cast<size_t>(columns));
  kernels::weights(logits + first, columns, scale_, tiles_[tile].max, weights_.data());
  return static_cast<int32_t>(first + kernels::pick(weights_.data(), columns, left / unit));
}

// Stores the tokens that top_k, top_p and min_p keep in ids_ and weights_, in the order of ids.
void Sampler::filter(const float* logits) {
  const auto size = static_cast<double>(vocabulary_);
  if (top_k() > 0) {
    keep_top_k(logits, top_k());
  } else {
    // All tokens below this bound together weigh less than 1 - top_p, or each fails min_p.
    double least = sampling_.min_p;
    if (sampling_.top_p < 1) least = std::max(least, (1 - sampling_.top_p) * mass_ / size);
    const float bound = top_ + static_cast<float>(std::log(least)) - slack;
    count_ = kernels::at_least(logits, vocabulary_, scale_, bound, ids_.data());
  }
  weights_.resize(static_cast<size_t>(count_));
  for (size_t i = 0; i < weights_.size(); ++i) weights_[i] = logits[ids_[i]];
  kernels::weights(weights_.data(), count_, scale_, top_, weights_.data());
  if (sampling_.top_p < 1) {
    const auto cut =
        top_p_cutoff(weights_, sampling_.top_p * (top_k() > 0 ? kernels::total(weights_.data(), count_) : mass_));
    keep_weights_from(cut.least, cut.ties);
  }
  if (sampling_.min_p > 0) {
    const float best = *std::max_element(weights_.begin(), weights_.end());
    keep_weights_from(static_cast<float>(sampling_.min_p * static_cast<double>(best)), count_);
  }
}

// Keeps the tokens with a logit of at least the k-th largest. The k-th largest of the lane maxima, each the maximum of
// some logits, bounds it from below, so only a few candidates are compared.
void Sampler::keep_top_k(const float* logits, int64_t k) {
  work_.resize(tiles_of(vocabulary_) * 64 + 16);
  const int64_t maxima = kernels::lane_maxima(logits, vocabulary_, work_.data());
  const auto kth = [&](int64_t count) {
    std::nth_element(work_.begin(), work_.begin() + (k - 1), work_.begin() + count, std::greater<>());
    return work_[static_cast<size_t>(k - 1)];
  };
  const float bound = k <= maxima ? kth(maxima) : -std::numeric_limits<float>::infinity();
  count_ = kernels::at_least(logits, vocabulary_, 1, bound, ids_.data());
  work_.resize(static_cast<size_t>(count_));
  for (size_t i = 0; i < work_.size(); ++i) work_[i] = logits[ids_[i]];
  const float least = kth(count_);
  count_ = std::remove_if(ids_.begin(), ids_.begin() + count_, [&](int32_t id) { return logits[id] < least; }) -
           ids_.begin();
}

// Keeps weights above `least`, and the first `ties` that equal it.
void Sampler::keep_weights_from(float least, int64_t ties) {
  size_t kept = 0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (!(weights_[i] > least || (weights_[i] == least && ties-- > 0))) continue;
    ids_[kept] = ids_[i];
    weights_[kept++] = weights_[i];
  }
  weights_.resize(kept);
  count_ = static_cast<int64_t>(kept);
}

Cutoff top_p_cutoff(std::span<const float> weights, double target) {
  std::vector<float> inside(weights.begin(), weights.end());
  double above = 0;  // sum of the weights that are certainly in the set
  for (const Digit& digit : digits) {
    std::array<double, 2048> mass{};
    for (const float w : inside) mass[(bits(w) >> digit.shift) & digit.mask] += static_cast<double>(w);
    uint32_t bucket = digit.mask, lowest = 0;
    while (lowest < digit.mask && !(mass[lowest] > 0)) ++lowest;
    while (bucket > lowest && above + mass[bucket] < target) above += mass[bucket--];
    std::erase_if(inside, [&](float w) { return ((bits(w) >> digit.shift) & digit.mask) != bucket; });
    if (inside.empty()) return {};  // all weights are 0
  }
  const float least = inside.front();
  int64_t ties = 0;
  while (ties < static_cast<int64_t>(inside.size()) && above < target) above += static_cast<double>(least), ++ties;
  return {least, ties};
}

}  // namespace compeer::rollout
