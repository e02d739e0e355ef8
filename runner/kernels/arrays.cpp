#include "kernels/arrays.h"

#include <algorithm>
#include <vector>

#include "kernels/workers.h"

namespace compeer::kernels {

namespace {

// Runs work(from, to) in parts that fit a cache; a part is whole blocks of 1024.
template <class Work>
void in_parts(int64_t count, Work work) {
  constexpr int64_t kPart = int64_t{1} << 16;
  share((count + kPart - 1) / kPart, [&](int64_t i) { work(i * kPart, std::min(count, (i + 1) * kPart)); });
}

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

double square_sum(const float* x, int64_t count) {
  constexpr int64_t kBlock = 1024;
  std::vector<double> blocks(static_cast<size_t>((count + kBlock - 1) / kBlock));
  in_parts(count, [&](int64_t from, int64_t to) {
    for (int64_t at = from; at < to; at += kBlock) {
      blocks[static_cast<size_t>(at / kBlock)] = block_sum(x + at, std::min(kBlock, to - at));
    }
  });
  double total = 0;
  for (const double block : blocks) total += block;
  return total;
}

}  // namespace compeer::kernels
