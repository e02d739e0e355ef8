// Measures peak arithmetic and memory rates.
#include "kernels/limits.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/instruction_set.h"
#include "kernels/workers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/limits.cpp"
#include <hwy/foreach_target.h>

#include "kernels/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

// Runs `rounds` rounds of twelve independent chains, enough to hide the latency of two arithmetic units, and returns
// the number of operations. The chains start from different values, so that the compiler does not merge them.
template <bool in_pairs>
double chains(int64_t rounds, float* out) {
  constexpr int chain_count = 12;
  const Tag tag;
  // As a bfloat16 pair, the factor is (0, 0.5), so that the sums stay small.
  const Vector factor = hn::Set(tag, 0.5f), term = hn::Set(tag, 1.0f);
  Vector sum[chain_count];
  HWY_UNROLL(16) for (int i = 0; i < chain_count; ++i) sum[i] = hn::Set(tag, static_cast<float>(i));
  for (int64_t r = 0; r < rounds; ++r) {
    HWY_UNROLL(16) for (int i = 0; i < chain_count; ++i) {
      sum[i] = in_pairs ? add_pair(factor, factor, sum[i]) : hn::MulAdd(sum[i], factor, term);
    }
  }
  for (int i = 1; i < chain_count; ++i) sum[0] = hn::Add(sum[0], sum[i]);
  hn::StoreU(sum[0], tag, out);
  return (in_pairs ? 4.0 : 2.0) * chain_count * lane_count * static_cast<double>(rounds);
}
double float_chains(int64_t rounds, float* out) { return chains<false>(rounds, out); }
double pair_chains(int64_t rounds, float* out) { return chains<true>(rounds, out); }

void sum(const float* data, int64_t count, float* out) {
  constexpr int chain_count = 8;
  const Tag tag;
  Vector sum[chain_count];
  HWY_UNROLL(8) for (int i = 0; i < chain_count; ++i) sum[i] = hn::Zero(tag);
  for (int64_t j = 0; j + chain_count * lane_count <= count; j += chain_count * lane_count) {
    HWY_UNROLL(8)
    for (int i = 0; i < chain_count; ++i) sum[i] = hn::Add(sum[i], hn::LoadU(tag, data + j + i * lane_count));
  }
  for (int i = 1; i < chain_count; ++i) sum[0] = hn::Add(sum[0], sum[i]);
  hn::StoreU(sum[0], tag, out);
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(float_chains);
HWY_EXPORT(pair_chains);
HWY_EXPORT(sum);

namespace {

// Calls work(), which returns an amount, for 0.25 s, and returns the highest amount per second.
template <class Work>
double best_rate(Work work) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(250);
  double best = 0;
  do {
    const auto start = Clock::now();
    const double done = work();
    best = std::max(best, done / std::chrono::duration<double>(Clock::now() - start).count());
  } while (Clock::now() < end);
  return best;
}

// Keeps the compiler from removing the computation of these values.
void keep(const std::vector<float>& values) { asm volatile("" : : "r"(values.data()) : "memory"); }

// Returns the operations per second of all threads together. work(out) returns its number of operations.
template <class Work>
double chain_rate(Work work) {
  const int64_t parts = threads();
  std::vector<float> out(static_cast<size_t>(parts) * 16);
  return best_rate([&] {
    std::vector<double> done(static_cast<size_t>(parts));
    parallel_for(parts, [&](int64_t i) { done[static_cast<size_t>(i)] = work(out.data() + i * 16); });
    keep(out);
    return std::accumulate(done.begin(), done.end(), 0.0);
  });
}

}  // namespace

double multiply_add_rate() {
  return chain_rate([](float* out) { return HWY_DYNAMIC_DISPATCH(float_chains)(1000000, out); });
}

double pair_rate() {
  if (!pairs_are_words()) return multiply_add_rate();
  return chain_rate([](float* out) { return HWY_DYNAMIC_DISPATCH(pair_chains)(1000000, out); });
}

double read_rate() {
  constexpr int64_t item_count = int64_t{1} << 27, part_length = int64_t{1} << 18;
  const std::vector<float> data(static_cast<size_t>(item_count), 1.0f);
  std::vector<float> out(static_cast<size_t>(item_count / part_length) * 16);
  return best_rate([&] {
    parallel_for(item_count / part_length, [&](int64_t i) {
      HWY_DYNAMIC_DISPATCH(sum)(data.data() + i * part_length, part_length, out.data() + i * 16);
    });
    keep(out);
    return static_cast<double>(item_count) * sizeof(float);
  });
}

}  // namespace compeer::kernels
#endif
