// Building blocks of the kernels for each instruction set: vectors of at most 16 floats, sums over 16 virtual lanes.
// Virtual lanes make sums independent of the vector width: element i is added to lane i mod 16, and the lanes are
// summed in a fixed order at the end. A panel is a matrix with 16 columns, [k][16]. Included once for each instruction
// set (Highway's foreach_target), hence the unusual guard.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#if defined(COMPEER_KERNELS_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COMPEER_KERNELS_LANES_INL_H
#undef COMPEER_KERNELS_LANES_INL_H
#else
#define COMPEER_KERNELS_LANES_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;  // Highway's descriptor of a vector of 16 floats, or 8 with AVX2
using Vector = hn::Vec<Tag>;           // a vector of `lane_count` floats
constexpr int lane_count = HWY_TARGET <= HWY_AVX3 ? 16 : 8;  // floats per vector; lower target values are wider
constexpr int lane_vectors = 16 / lane_count;                // vectors per 16 virtual lanes

// Sums 16 lanes by a fixed tree, ((l0+l8)+(l4+l12)) + ..., the same for any vector width.
HWY_INLINE float tree(const float* lanes) {
  float s[8];
  for (int i = 0; i < 8; ++i) s[i] = lanes[i] + lanes[i + 8];
  for (int i = 0; i < 4; ++i) s[i] += s[i + 4];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// Returns the sum of `count` terms in 16 virtual lanes, then by `tree`. term(i, sum) returns `sum` plus the vector of
// terms [i, i + lane_count). last(i, lane) returns `lane` plus term i, for the last count % 16 terms.
template <class Term, class Last>
HWY_INLINE float lane_sum(int64_t count, Term term, Last last) {
  const Tag tag;
  Vector sum[lane_vectors];
  for (int p = 0; p < lane_vectors; ++p) sum[p] = hn::Zero(tag);
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int p = 0; p < lane_vectors; ++p) sum[p] = term(i + p * lane_count, sum[p]);
  }
  float lanes[16];
  for (int p = 0; p < lane_vectors; ++p) hn::StoreU(sum[p], tag, lanes + p * lane_count);
  for (; i < count; ++i) lanes[i % 16] = last(i, lanes[i % 16]);
  return tree(lanes);
}

// Returns the sum of a[i] * b[i]: a chain of fused multiply-adds in each of 16 virtual lanes, then `tree`.
HWY_INLINE float lane_dot(const float* a, const float* b, int64_t count) {
  const Tag tag;
  return lane_sum(
      count, [&](int64_t i, Vector s) { return hn::MulAdd(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i), s); },
      [&](int64_t i, float s) { return __builtin_fmaf(a[i], b[i], s); });
}

// Calls work(i, n) for consecutive vectors of elements [i, i + n) of [0, count); n is lane_count, except for the last
// vector. With masked `load` and `store` every element is computed by the same instructions.
template <class Work>
HWY_INLINE void each(int64_t count, Work work) {
  int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) work(i, static_cast<size_t>(lane_count));
  if (i < count) work(i, static_cast<size_t>(count - i));
}

// Loads and stores of the first n lanes only.
HWY_INLINE Vector load(const float* p, size_t n) {
  const Tag tag;
  return n == static_cast<size_t>(lane_count) ? hn::LoadU(tag, p) : hn::MaskedLoad(hn::FirstN(tag, n), tag, p);
}
HWY_INLINE void store(Vector v, float* p, size_t n) {
  const Tag tag;
  if (n == static_cast<size_t>(lane_count)) {
    hn::StoreU(v, tag, p);
  } else {
    hn::BlendedStore(v, hn::FirstN(tag, n), tag, p);
  }
}

// Returns e^x.
HWY_INLINE Vector exponential(Vector x) {
  const Tag tag;
  return hn::Exp(tag, x);
}

using Four = hn::FixedTag<float, 4>;  // descriptor of a vector of 4 floats

// Transposes a 4 x 4 block: element d + i of row in[r] to out[16 i + r], i and r in 0 ... 3.
HWY_INLINE void transpose_square(const float* const* in, int64_t d, float* out) {
  const Four four;
  const auto a = hn::LoadU(four, in[0] + d), b = hn::LoadU(four, in[1] + d), c = hn::LoadU(four, in[2] + d),
             e = hn::LoadU(four, in[3] + d);
  const auto ab = hn::InterleaveLower(four, a, b), AB = hn::InterleaveUpper(four, a, b);
  const auto ce = hn::InterleaveLower(four, c, e), CE = hn::InterleaveUpper(four, c, e);
  hn::StoreU(hn::ConcatLowerLower(four, ce, ab), four, out);
  hn::StoreU(hn::ConcatUpperUpper(four, ce, ab), four, out + 16);
  hn::StoreU(hn::ConcatLowerLower(four, CE, AB), four, out + 32);
  hn::StoreU(hn::ConcatUpperUpper(four, CE, AB), four, out + 48);
}

// Transposes `rows` (at most 16) rows of `count` numbers, at in[0], in[1], ..., to out [count][16]. Columns of `out`
// without a row are not written.
HWY_INLINE void transpose_rows(const float* const* in, int64_t rows, int64_t count, float* out) {
  const int64_t whole = rows / 4 * 4;
  for (int64_t row = 0; row < whole; row += 4) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) transpose_square(in + row, i, out + i * 16 + row);
    for (; i < count; ++i) {
      for (int64_t r = 0; r < 4; ++r) out[i * 16 + row + r] = in[row + r][i];
    }
  }
  for (int64_t row = whole; row < rows; ++row) {
    for (int64_t i = 0; i < count; ++i) out[i * 16 + row] = in[row][i];
  }
}

// Transposes `count` (at most 16) contiguous columns of length k to a panel out [k][16]. Other columns of `out` are not
// written.
HWY_INLINE void transpose_panel(const float* const* columns, int64_t count, int64_t k, float* out) {
  constexpr int64_t row_count = 64;  // rows at a time, so that they stay in the first-level cache
  for (int64_t i = 0; i < k; i += row_count) {
    const float* in[16];
    for (int64_t j = 0; j < count; ++j) in[j] = columns[j] + i;
    transpose_rows(in, count, std::min(row_count, k - i), out + i * 16);
  }
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
