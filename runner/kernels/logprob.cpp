#include "kernels/logprob.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#ifndef COMPEER_KERNELS_TILE
#define COMPEER_KERNELS_TILE
namespace compeer::kernels {
struct TileSums {
  float max;
  float sum;       // of e = exp(scaled - max)
  float weighted;  // of e * scaled
};
}  // namespace compeer::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logprob.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

void tile_sums(const float* logits, int64_t count, float inverse_temperature, TileSums* out) {
  const Tag tag;
  const Vector scale = hn::Set(tag, inverse_temperature);
  Vector top = hn::Set(tag, -std::numeric_limits<float>::infinity());
  each(count, [&](int64_t i, size_t n) {
    const Vector x = hn::Mul(load(logits + i, n), scale);
    top = hn::IfThenElse(hn::FirstN(tag, n), hn::Max(top, x), top);
  });
  out->max = hn::GetLane(hn::MaxOfLanes(tag, top));
  const Vector max = hn::Set(tag, out->max);
  Vector sum[kParts], weighted[kParts];
  for (int p = 0; p < kParts; ++p) sum[p] = weighted[p] = hn::Zero(tag);
  for (int64_t i = 0; i < count; i += 16) {
    for (int p = 0; p < kParts; ++p) {
      const int64_t at = i + p * kLanes;
      if (at >= count) break;
      const size_t n = static_cast<size_t>(std::min<int64_t>(kLanes, count - at));
      const Vector x = hn::Mul(load(logits + at, n), scale);
      const Vector e = hn::IfThenElseZero(hn::FirstN(tag, n), exponential(hn::Sub(x, max)));
      sum[p] = hn::Add(sum[p], e);
      weighted[p] = hn::MulAdd(e, x, weighted[p]);
    }
  }
  float lanes[16];
  for (int p = 0; p < kParts; ++p) hn::StoreU(sum[p], tag, lanes + p * kLanes);
  out->sum = tree(lanes);
  for (int p = 0; p < kParts; ++p) hn::StoreU(weighted[p], tag, lanes + p * kLanes);
  out->weighted = tree(lanes);
}

// logits -> d logits, in place, without the target's own term.
void tile_gradient(float* logits, int64_t count, float inverse_temperature, float log_sum, float entropy,
                   float dlog_prob, float dentropy) {
  const Tag tag;
  const Vector scale = hn::Set(tag, inverse_temperature), base = hn::Set(tag, log_sum);
  const Vector a = hn::Set(tag, -dlog_prob * inverse_temperature), b = hn::Set(tag, -dentropy * inverse_temperature);
  const Vector h = hn::Set(tag, entropy);
  each(count, [&](int64_t i, size_t n) {
    const Vector log_p = hn::Sub(hn::Mul(load(logits + i, n), scale), base);
    store(hn::Mul(exponential(log_p), hn::MulAdd(b, hn::Add(log_p, h), a)), logits + i, n);
  });
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(tile_sums);
HWY_EXPORT(tile_gradient);

namespace {

// Tiles of one row, in order, combined with a running maximum in double precision.
class Combine {
 public:
  TileMass add(const float* logits, int64_t count, float inverse_temperature) {
    TileSums tile;
    HWY_DYNAMIC_DISPATCH(tile_sums)(logits, count, inverse_temperature, &tile);
    const double max = std::max(max_, static_cast<double>(tile.max));
    const double old = std::exp(max_ - max), fresh = std::exp(static_cast<double>(tile.max) - max);
    sum_ = sum_ * old + tile.sum * fresh;
    weighted_ = weighted_ * old + tile.weighted * fresh;
    max_ = max;
    return {tile.max, tile.sum};
  }
  Distribution result() const {
    const double log_sum = max_ + std::log(sum_);
    return {log_sum, log_sum - weighted_ / sum_};
  }

 private:
  double max_ = -std::numeric_limits<double>::infinity(), sum_ = 0, weighted_ = 0;
};

constexpr int64_t kRows = 96;  // rows of logits held at once; not part of the bits

}  // namespace

Distribution distribution(const float* logits, int64_t vocabulary, float inverse_temperature, TileMass* tiles) {
  Combine combine;
  for (int64_t first = 0; first < vocabulary; first += kVocabularyTile) {
    const auto mass = combine.add(logits + first, std::min(kVocabularyTile, vocabulary - first), inverse_temperature);
    if (tiles) tiles[first / kVocabularyTile] = mass;
  }
  return combine.result();
}

void token_logprobs(const float* hidden, int64_t rows, const Packed& head, const int64_t* target,
                    float inverse_temperature, float* log_prob, float* entropy, double* log_sum) {
  const int64_t width = head.k(), vocabulary = head.n();
  std::vector<float> logits(static_cast<size_t>(kRows * kVocabularyTile)), chosen(kRows);
  for (int64_t row = 0; row < rows; row += kRows) {
    const int64_t count = std::min(kRows, rows - row);
    std::vector<Combine> combine(static_cast<size_t>(count));
    for (int64_t first = 0; first < vocabulary; first += kVocabularyTile) {
      const int64_t columns = std::min(kVocabularyTile, vocabulary - first);
      multiply({hidden + row * width, width, 1}, count, head, nullptr, logits.data(), kVocabularyTile, Write::replace,
               first, columns);
      for (int64_t r = 0; r < count; ++r) {
        const float* tile = logits.data() + r * kVocabularyTile;
        combine[static_cast<size_t>(r)].add(tile, columns, inverse_temperature);
        const int64_t at = target[row + r] - first;
        if (at >= 0 && at < columns) chosen[static_cast<size_t>(r)] = tile[at];
      }
    }
    for (int64_t r = 0; r < count; ++r) {
      const Distribution d = combine[static_cast<size_t>(r)].result();
      log_sum[row + r] = d.log_sum;
      entropy[row + r] = static_cast<float>(d.entropy);
      log_prob[row + r] = d.log_prob(chosen[static_cast<size_t>(r)], inverse_temperature);
    }
  }
}

void token_logprobs_backward(const float* hidden, int64_t rows, const Packed& head, const float* matrix,
                             const int64_t* target, float inverse_temperature, const double* log_sum,
                             const float* entropy, const float* dlog_prob, const float* dentropy, float* dhidden,
                             float* dhead) {
  const int64_t width = head.k(), vocabulary = head.n();
  std::vector<float> logits(static_cast<size_t>(kRows * kVocabularyTile));
  Packed right;  // what the products below need on the right: a tile of the matrix, then the hidden rows
  for (int64_t first = 0; first < vocabulary; first += kVocabularyTile) {
    const int64_t columns = std::min(kVocabularyTile, vocabulary - first);
    Packed tile({matrix + first * width, width, 1}, columns, width);
    for (int64_t row = 0; row < rows; row += kRows) {
      const int64_t count = std::min(kRows, rows - row);
      multiply({hidden + row * width, width, 1}, count, head, nullptr, logits.data(), kVocabularyTile, Write::replace,
               first, columns);
      for (int64_t r = 0; r < count; ++r) {
        float* line = logits.data() + r * kVocabularyTile;
        const int64_t i = row + r, at = target[i] - first;
        HWY_DYNAMIC_DISPATCH(tile_gradient)
        (line, columns, inverse_temperature, static_cast<float>(log_sum[i]), entropy[i], dlog_prob[i],
         dentropy ? dentropy[i] : 0.0f);
        if (at >= 0 && at < columns) line[at] += dlog_prob[i] * inverse_temperature;
      }
      multiply({logits.data(), kVocabularyTile, 1}, count, tile, nullptr, dhidden + row * width, width,
               first == 0 ? Write::replace : Write::add);
      right.pack({hidden + row * width, width, 1}, count, width);
      multiply({logits.data(), 1, kVocabularyTile}, columns, right, nullptr, dhead + first * width, width, Write::add);
    }
  }
}

}  // namespace compeer::kernels
#endif
