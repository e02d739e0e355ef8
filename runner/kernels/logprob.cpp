// Log-probabilities, entropies and their gradients, in tiles of the vocabulary.
#include "kernels/logprob.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/workers.h"

#ifndef COMPEER_KERNELS_TILE
#define COMPEER_KERNELS_TILE
namespace compeer::kernels {
// Sums over a tile of one row, with e = exp(scaled logit - max).
struct TileSums {
  float max;       // of the scaled logits
  float sum;       // of e
  float weighted;  // of e * scaled logit
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
  const Vector scale = hn::Set(tag, inverse_temperature), least = hn::Set(tag, -std::numeric_limits<float>::infinity());
  const int64_t whole = count / 16 * 16;
  const auto rest = [&](int64_t at) { return static_cast<size_t>(std::clamp<int64_t>(count - at, 0, lane_count)); };
  Vector top[lane_vectors];
  for (int p = 0; p < lane_vectors; ++p) top[p] = least;
  for (int64_t i = 0; i < whole; i += 16) {
    for (int p = 0; p < lane_vectors; ++p)
      top[p] = hn::Max(top[p], hn::Mul(hn::LoadU(tag, logits + i + p * lane_count), scale));
  }
  for (int64_t i = whole; i < count; i += lane_count) {
    const Vector x = hn::Mul(load(logits + i, rest(i)), scale);
    top[0] = hn::Max(top[0], hn::IfThenElse(hn::FirstN(tag, rest(i)), x, least));
  }
  for (int p = 1; p < lane_vectors; ++p) top[0] = hn::Max(top[0], top[p]);
  const Vector max = hn::MaxOfLanes(tag, top[0]);
  out->max = hn::GetLane(max);
  Vector sum[lane_vectors], weighted[lane_vectors];
  for (int p = 0; p < lane_vectors; ++p) sum[p] = weighted[p] = hn::Zero(tag);
  for (int64_t i = 0; i < whole; i += 16) {
    for (int p = 0; p < lane_vectors; ++p) {
      const Vector x = hn::Mul(hn::LoadU(tag, logits + i + p * lane_count), scale), e = exponential(hn::Sub(x, max));
      sum[p] = hn::Add(sum[p], e);
      weighted[p] = hn::MulAdd(e, x, weighted[p]);
    }
  }
  for (int p = 0; p < lane_vectors && whole + p * lane_count < count; ++p) {
    const size_t n = rest(whole + p * lane_count);
    const Vector x = hn::Mul(load(logits + whole + p * lane_count, n), scale);
    const Vector e = hn::IfThenElseZero(hn::FirstN(tag, n), exponential(hn::Sub(x, max)));
    sum[p] = hn::Add(sum[p], e);
    weighted[p] = hn::MulAdd(e, x, weighted[p]);
  }
  float lanes[16];
  for (int p = 0; p < lane_vectors; ++p) hn::StoreU(sum[p], tag, lanes + p * lane_count);
  out->sum = tree(lanes);
  for (int p = 0; p < lane_vectors; ++p) hn::StoreU(weighted[p], tag, lanes + p * lane_count);
  out->weighted = tree(lanes);
}

// Replaces logits by their gradients, without the term 1[v = target].
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

// Combines the tiles of one row, in order, with a running maximum in float64.
class TileCombiner {
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

// Rows of logits computed at once, and floats between them, not a power of two. Neither changes the bits.
constexpr int64_t row_count = 256, row_stride = vocabulary_tile + 16;

// Consecutive rows, and their division into sequences.
struct RowBlock {
  int64_t row = 0, count = 0;
  std::vector<int64_t> runs;
};
// Divides rows into blocks of at most row_count. Sequences are cut only between pairs of rows.
std::vector<RowBlock> row_blocks(int64_t rows, const std::vector<int64_t>& runs) {
  std::vector<RowBlock> all(1);
  for (int64_t left : runs.empty() ? std::vector{rows} : runs) {
    while (left > 0) {
      const int64_t room = row_count - all.back().count, fits = left <= room ? left : room / 2 * 2;
      if (fits > 0) {
        all.back().count += fits;
        all.back().runs.push_back(fits);
        left -= fits;
      }
      if (left > 0) all.push_back({all.back().row + all.back().count, 0, {}});
    }
  }
  return all;
}

// Calls work(r) for each row, on all threads.
template <class Work>
void each_row(int64_t rows, Work work) {
  constexpr int64_t together = 8;
  parallel_for((rows + together - 1) / together, [&](int64_t part) {
    for (int64_t r = part * together; r < std::min(rows, (part + 1) * together); ++r) work(r);
  });
}

}  // namespace

Distribution distribution(const float* logits, int64_t vocabulary, float inverse_temperature, TileMass* tiles) {
  TileCombiner combine;
  for (int64_t first = 0; first < vocabulary; first += vocabulary_tile) {
    const auto mass = combine.add(logits + first, std::min(vocabulary_tile, vocabulary - first), inverse_temperature);
    if (tiles) tiles[first / vocabulary_tile] = mass;
  }
  return combine.result();
}

float* KeptLogits::of(int64_t row, int64_t first) {
  const auto found = tiles_.find({row, first});
  return found == tiles_.end() ? nullptr : found->second.get();
}

float* KeptLogits::keep(int64_t row, int64_t first, int64_t floats) {
  if (floats > left_) return nullptr;
  left_ -= floats;
  return (tiles_[{row, first}] = std::unique_ptr<float[]>(new float[static_cast<size_t>(floats)])).get();
}

void token_logprobs(const float* hidden, int64_t rows, const std::vector<int64_t>& runs, const RightMatrix& head,
                    const int64_t* target, float inverse_temperature, float* log_prob, float* entropy, double* log_sum,
                    KeptLogits* kept) {
  const int64_t width = head.k, vocabulary = head.n, most = std::min(row_count, rows);
  const std::unique_ptr<float[]> memory(new float[static_cast<size_t>(most * row_stride)]);
  for (const RowBlock& block : row_blocks(rows, runs)) {
    const int64_t row = block.row, count = block.count;
    std::vector<TileCombiner> combine(static_cast<size_t>(count));
    std::vector<float> chosen(static_cast<size_t>(count));
    for (int64_t first = 0; first < vocabulary; first += vocabulary_tile) {
      const int64_t columns = std::min(vocabulary_tile, vocabulary - first);
      float* logits = kept ? kept->keep(row, first, count * row_stride) : nullptr;
      if (!logits) logits = memory.get();
      multiply({hidden + row * width, width, 1}, count, head, nullptr, logits, row_stride, Write::replace, first,
               columns);
      each_row(count, [&](int64_t r) {
        const auto i = static_cast<size_t>(r);
        combine[i].add(logits + r * row_stride, columns, inverse_temperature);
        const int64_t at = target[row + r] - first;
        if (at >= 0 && at < columns) chosen[i] = logits[r * row_stride + at];
      });
    }
    for (int64_t r = 0; r < count; ++r) {
      const Distribution d = combine[static_cast<size_t>(r)].result();
      log_sum[row + r] = d.log_sum;
      entropy[row + r] = static_cast<float>(d.entropy);
      log_prob[row + r] = d.log_prob(chosen[static_cast<size_t>(r)], inverse_temperature);
    }
  }
}

void token_logprobs_backward(const float* hidden, int64_t rows, const std::vector<int64_t>& runs,
                             const RightMatrix& head, const RightMatrix& back, const int64_t* target,
                             float inverse_temperature, const LogprobGradient& given, float* dhidden, float* dhead,
                             KeptLogits* kept) {
  const int64_t width = head.k, vocabulary = head.n, most = std::min(row_count, rows);
  const std::unique_ptr<float[]> memory(new float[static_cast<size_t>(most * row_stride)]);
  const auto blocks = row_blocks(rows, runs);
  for (int64_t first = 0; first < vocabulary; first += vocabulary_tile) {
    const int64_t columns = std::min(vocabulary_tile, vocabulary - first);
    for (const RowBlock& block : blocks) {
      const int64_t row = block.row, count = block.count;
      const View some{hidden + row * width, width, 1};
      float* logits = kept ? kept->of(row, first) : nullptr;
      if (!logits) {
        logits = memory.get();
        multiply(some, count, head, nullptr, logits, row_stride, Write::replace, first, columns);
      }
      each_row(count, [&](int64_t r) {
        float* line = logits + r * row_stride;
        const int64_t i = row + r, at = target[i] - first;
        HWY_DYNAMIC_DISPATCH(tile_gradient)
        (line, columns, inverse_temperature, static_cast<float>(given.log_sum[i]), given.entropy[i], given.dlog_prob[i],
         given.dentropy ? given.dentropy[i] : 0.0f);
        if (at >= 0 && at < columns) line[at] += given.dlog_prob[i] * inverse_temperature;
      });
      if (dhidden) {
        const Write write = first == 0 ? Write::replace : Write::add;
        const View left{logits, row_stride, 1};
        multiply_by_transpose(left, count, back, dhidden + row * width, width, write, first, columns);
      }
      if (!dhead) continue;
      const View left{logits, 1, row_stride};
      float* to = dhead + first * width;
      if (head.format == Format::bfloat16_pairs) {
        add_pairs(left, columns, some, RowPairs(block.runs), width, to, width);
      } else {
        multiply(left, columns, {some, count, width}, nullptr, to, width, Write::continue_chain);
      }
    }
  }
}

}  // namespace compeer::kernels
#endif
