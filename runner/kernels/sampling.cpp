// Vectorized searches and sums over a row of logits.
#include "kernels/sampling.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sampling.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

constexpr float nothing = -std::numeric_limits<float>::infinity();

float largest(const float* x, int64_t count) {
  const Tag tag;
  Vector top[4];
  for (Vector& t : top) t = hn::Set(tag, nothing);
  int64_t i = 0;
  for (; i + 4 * lane_count <= count; i += 4 * lane_count) {
    for (int j = 0; j < 4; ++j) top[j] = hn::Max(top[j], hn::LoadU(tag, x + i + j * lane_count));
  }
  float best = hn::GetLane(hn::MaxOfLanes(tag, hn::Max(hn::Max(top[0], top[1]), hn::Max(top[2], top[3]))));
  for (; i < count; ++i) best = std::max(best, x[i]);
  return best;
}

int64_t first_equal(const float* x, int64_t count, float value) {
  const Tag tag;
  const Vector wanted = hn::Set(tag, value);
  int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    const auto found = hn::FindFirstTrue(tag, hn::Eq(hn::LoadU(tag, x + i), wanted));
    if (found >= 0) return i + found;
  }
  for (; i < count; ++i) {
    if (x[i] == value) return i;
  }
  return 0;
}

int64_t at_least(const float* x, int64_t count, float scale, float least, int32_t* places) {
  const Tag tag;
  const hn::RebindToSigned<Tag> numbers;
  const Vector factor = hn::Set(tag, scale), bound = hn::Set(tag, least);
  int64_t found = 0, i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    const auto mask = hn::Ge(hn::Mul(hn::LoadU(tag, x + i), factor), bound);
    if (hn::AllFalse(tag, mask)) continue;
    const auto index = hn::Iota(numbers, static_cast<int32_t>(i));
    found += static_cast<int64_t>(hn::CompressStore(index, hn::RebindMask(numbers, mask), numbers, places + found));
  }
  for (; i < count; ++i) {
    if (x[i] * scale >= least) places[found++] = static_cast<int32_t>(i);
  }
  return found;
}

void lane_maxima(const float* x, int64_t count, float* out) {
  const Tag tag;
  for (int64_t first = 0; first < count; first += 512, out += 16) {
    const int64_t columns = std::min<int64_t>(512, count - first);
    Vector top[lane_vectors];
    for (int p = 0; p < lane_vectors; ++p) top[p] = hn::Set(tag, nothing);
    int64_t i = 0;
    for (; i + 16 <= columns; i += 16) {
      for (int p = 0; p < lane_vectors; ++p) top[p] = hn::Max(top[p], hn::LoadU(tag, x + first + i + p * lane_count));
    }
    for (int p = 0; p < lane_vectors; ++p) hn::StoreU(top[p], tag, out + p * lane_count);
    for (; i < columns; ++i) out[i % 16] = std::max(out[i % 16], x[first + i]);
  }
}

void weights(const float* x, int64_t count, float scale, float top, float* out) {
  const Tag tag;
  const Vector factor = hn::Set(tag, scale), base = hn::Set(tag, top);
  each(count,
       [&](int64_t i, size_t n) { store(exponential(hn::Sub(hn::Mul(load(x + i, n), factor), base)), out + i, n); });
}

// Adds runs of 16 until the sum exceeds `target`. Returns the index of that run's first element, and in `before` the
// sum of the runs before it.
int64_t find_run(const float* w, int64_t count, double target, double* before) {
  double sum = 0;
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const double next = sum + static_cast<double>(tree(w + i));
    if (target < next) break;
    sum = next;
  }
  *before = sum;
  return i;
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(largest);
HWY_EXPORT(first_equal);
HWY_EXPORT(at_least);
HWY_EXPORT(lane_maxima);
HWY_EXPORT(weights);
HWY_EXPORT(find_run);

int64_t argmax(const float* x, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(first_equal)(x, count, HWY_DYNAMIC_DISPATCH(largest)(x, count));
}

int64_t at_least(const float* x, int64_t count, float scale, float least, int32_t* places) {
  return HWY_DYNAMIC_DISPATCH(at_least)(x, count, scale, least, places);
}

int64_t lane_maxima(const float* x, int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(lane_maxima)(x, count, out);
  return (count + 511) / 512 * 16;
}

void weights(const float* x, int64_t count, float scale, float top, float* out) {
  HWY_DYNAMIC_DISPATCH(weights)(x, count, scale, top, out);
}

double total(const float* w, int64_t count) {
  double sum = 0;
  int64_t i = HWY_DYNAMIC_DISPATCH(find_run)(w, count, std::numeric_limits<double>::infinity(), &sum);
  for (; i < count; ++i) sum += static_cast<double>(w[i]);
  return sum;
}

int64_t pick(const float* w, int64_t count, double target) {
  double sum = 0;
  int64_t i = HWY_DYNAMIC_DISPATCH(find_run)(w, count, target, &sum);
  for (; i < count; ++i) {
    sum += static_cast<double>(w[i]);
    if (target < sum) return i;
  }
  // `target` is not below the sum, because of rounding: take the last element with a weight.
  int64_t last = count;
  while (last > 0 && !(w[last - 1] > 0)) --last;
  return std::max<int64_t>(last - 1, 0);
}

}  // namespace compeer::kernels
#endif
