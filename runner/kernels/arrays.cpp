// Operations on long arrays, such as gradients.
#include "kernels/arrays.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "kernels/workers.h"

namespace compeer::kernels {

namespace {

// Calls work(from, to) for parts of [0, count) that fit in the cache, on all threads. Parts are multiples of
// square_block.
template <class Work>
void in_parts(int64_t count, Work work) {
  constexpr int64_t part_length = int64_t{1} << 16;
  parallel_for((count + part_length - 1) / part_length,
               [&](int64_t i) { work(i * part_length, std::min(count, (i + 1) * part_length)); });
}

// Returns the sum of squares in 8 virtual lanes.
double block_sum(const float* x, int64_t count) {
  double lanes[8] = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int64_t j = 0; j < 8; ++j) lanes[j] += static_cast<double>(x[i + j]) * static_cast<double>(x[i + j]);
  }
  for (; i < count; ++i) lanes[i % 8] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  for (int64_t j = 0; j < 4; ++j) lanes[j] += lanes[j + 4];
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

}  // namespace

void clear(float* x, int64_t count) {
  in_parts(count, [=](int64_t from, int64_t to) { std::fill(x + from, x + to, 0.0f); });
}

void add(float* sum, const float* x, int64_t count) {
  in_parts(count, [=](int64_t from, int64_t to) {
    float* __restrict out = sum;
    const float* __restrict in = x;
    for (int64_t i = from; i < to; ++i) out[i] += in[i];
  });
}

std::vector<double> square_sums(const float* x, int64_t count) {
  std::vector<double> sums(static_cast<size_t>((count + square_block - 1) / square_block));
  in_parts(count, [&](int64_t from, int64_t to) {
    for (int64_t at = from; at < to; at += square_block) {
      sums[static_cast<size_t>(at / square_block)] = block_sum(x + at, std::min(square_block, to - at));
    }
  });
  return sums;
}

double square_sum(const float* x, int64_t count) {
  const auto sums = square_sums(x, count);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

std::vector<float> mean_row(const float* rows, int64_t count, int64_t width) {
  std::vector<double> sums(static_cast<size_t>(width), 0.0);
  for (int64_t i = 0; i < count; ++i) {
    for (double& sum : sums) sum += static_cast<double>(*rows++);
  }
  std::vector<float> means;
  for (const double sum : sums) means.push_back(static_cast<float>(sum / static_cast<double>(count)));
  return means;
}

void round_to_bfloat16(const float* from, int64_t count, float* to) {
  in_parts(count, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto bits = std::bit_cast<uint32_t>(from[i]);
      const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
      to[i] = std::isnan(from[i]) ? from[i] : std::bit_cast<float>(rounded);
    }
  });
}

}  // namespace compeer::kernels
