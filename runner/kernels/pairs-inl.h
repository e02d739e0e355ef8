// Products of bfloat16 pairs: numbers are rounded to bfloat16 and taken in pairs along k. A pair is a 32-bit word with
// the earlier number in its lower half, or, if only float32 can be multiplied, two floats, the later first. In both
// forms the product of the later numbers is added first.
// Included once for each instruction set (Highway's foreach_target), hence the unusual guard.
#include "kernels/instruction_set.h"
#include "kernels/packed.h"

#if defined(COMPEER_KERNELS_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COMPEER_KERNELS_PAIRS_INL_H
#undef COMPEER_KERNELS_PAIRS_INL_H
#else
#define COMPEER_KERNELS_PAIRS_INL_H
#endif

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

using WordTag = hn::RebindToUnsigned<Tag>;  // Highway's descriptor of a vector of `lane_count` 32-bit words

// Rounds to bfloat16 like Bfloat16::nearest. The lower half of each result is zero.
HWY_INLINE hn::Vec<WordTag> rounded(Vector x) {
  const WordTag words;
  const auto bits = hn::BitCast(words, x), last = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto nearest = hn::Add(bits, hn::Add(last, hn::Set(words, 0x7fff)));
  const auto quiet = hn::Or(bits, hn::Set(words, 0x400000));
  const auto result = hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(x)), quiet, nearest);
  return hn::And(result, hn::Set(words, 0xffff0000u));
}

// Returns c + a0 b0 + a1 b1 lane by lane, where the words a and b hold the pairs (a0, a1) and (b0, b1): a1 b1 is added
// first, then a0 b0, each by a fused multiply-add.
HWY_INLINE Vector add_pair(Vector a, Vector b, Vector c) {
#if HWY_TARGET <= HWY_AVX3
  asm("vdpbf16ps %2, %1, %0" : "+v"(c.raw) : "v"(a.raw), "v"(b.raw));
  return c;
#else
  const Tag tag;
  const WordTag words;
  const auto upper = hn::Set(words, 0xffff0000u);
  const auto later = [&](Vector x) HWY_ATTR { return hn::BitCast(tag, hn::And(hn::BitCast(words, x), upper)); };
  const auto earlier = [&](Vector x) HWY_ATTR { return hn::BitCast(tag, hn::ShiftLeft<16>(hn::BitCast(words, x))); };
  return hn::MulAdd(earlier(a), earlier(b), hn::MulAdd(later(a), later(b), c));
#endif
}

// Rounds `count` numbers to bfloat16 in place, in whole vectors: memory up to the end of the last vector is changed,
// too.
HWY_INLINE void round_in_place(float* numbers, int64_t count) {
  const Tag tag;
  for (int64_t i = 0; i < count; i += lane_count)
    hn::StoreU(hn::BitCast(tag, rounded(hn::LoadU(tag, numbers + i))), tag, numbers + i);
}

// True if x contains a denormal number that `rounded` rounds up to the smallest normal number, whereas the rounding
// instructions treat it as zero. Compares bits, because float comparisons treat it as zero, too, if denormals are
// flushed.
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE bool rounds_up_to_normal(Vector x) {
  const WordTag words;
  const auto below = hn::And(hn::BitCast(words, x), hn::Set(words, 0x7fff8000u));
  return !hn::AllFalse(words, hn::Eq(below, hn::Set(words, 0x007f8000u)));
}
#endif

// Rounds two vectors to bfloat16 and returns the words of the pairs (earlier[i], later[i]). Any instruction set.
HWY_INLINE Vector words_by_hand(Vector earlier, Vector later) {
  return hn::BitCast(Tag(), hn::Or(hn::ShiftRight<16>(rounded(earlier)), rounded(later)));
}
// The same with vcvtne2ps2bf16 where possible. Use it only if pairs_are_words().
HWY_INLINE Vector words_of(Vector earlier, Vector later) {
#if HWY_TARGET <= HWY_AVX3
  if (HWY_LIKELY(!rounds_up_to_normal(earlier) && !rounds_up_to_normal(later))) {
    alignas(64) static constexpr uint16_t in_turn[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                         8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    __m512i both;
    asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(both) : "v"(earlier.raw), "v"(later.raw));
    return Vector{_mm512_castsi512_ps(_mm512_permutexvar_epi16(_mm512_load_si512(in_turn), both))};
  }
#endif
  return words_by_hand(earlier, later);
}

// Rounds a vector and stores the words of its pairs of neighbouring lanes (2 i, 2 i + 1): lane_count / 2 words.
HWY_INLINE void store_words_of(Vector neighbours, float* out) {
#if HWY_TARGET <= HWY_AVX3
  if (HWY_LIKELY(!rounds_up_to_normal(neighbours))) {
    __m256i words;
    asm("vcvtneps2bf16 %1, %0" : "=v"(words) : "v"(neighbours.raw));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), words);
    return;
  }
#endif
  const hn::Repartition<uint64_t, Tag> twice;
  const hn::Rebind<uint32_t, decltype(twice)> half;
  const auto both = hn::BitCast(twice, rounded(neighbours));
  const auto words = hn::Or(hn::ShiftRight<16>(both), hn::ShiftRight<32>(both));
  hn::StoreU(hn::TruncateTo(half, words), half, reinterpret_cast<uint32_t*>(out));
}

// Rounds a row of k numbers and takes them in pairs, the last one paired with zero if k is odd: to words (`to_words`),
// or to floats with the two of a pair exchanged. Whole vectors are written. `out` may be `in`.
template <bool to_words>
HWY_INLINE void pair_row(const float* in, int64_t k, float* out) {
  const Tag tag;
  for (int64_t i = 0; i < k; i += lane_count) {
    const auto numbers = load(in + i, static_cast<size_t>(std::min<int64_t>(lane_count, k - i)));
    if constexpr (to_words) {
      store_words_of(numbers, out + i / 2);
    } else {
      hn::StoreU(hn::BitCast(tag, hn::Shuffle2301(rounded(numbers))), tag, out + i);
    }
  }
}

// Pairs the rows 2 i and 2 i + 1 of a panel: [k][16] -> [k / 2][16] words. words(earlier, later) makes the words of two
// vectors, for example words_of. If k is odd, zeros are written after the last row of the input.
template <class Words>
HWY_INLINE void pair_square(float* rows, int64_t k, Words words, float* out) {
  const Tag tag;
  if (k % 2 != 0) std::fill_n(rows + k * 16, 16, 0.0f);
  for (int64_t i = 0; i < k; i += 2, rows += 32, out += 16) {
    for (int v = 0; v < 16; v += lane_count)
      hn::StoreU(words(hn::LoadU(tag, rows + v), hn::LoadU(tag, rows + 16 + v)), tag, out + v);
  }
}

// The same for `count` (at most 16) contiguous columns of length k, at columns[0], columns[1], ...: -> [k / 2][16]
// words.
HWY_INLINE void transpose_panel_to_words(const float* const* columns, int64_t count, int64_t k, float* out) {
  constexpr int64_t row_count = 16;
  alignas(64) float square[row_count * 16];
  const bool by_instruction = pairs_are_words();
  for (int64_t i = 0; i < k; i += row_count, out += row_count / 2 * 16) {
    const int64_t rows = std::min(row_count, k - i);
    const float* in[16];
    for (int64_t j = 0; j < count; ++j) in[j] = columns[j] + i;
    transpose_rows(in, count, rows, square);
    if (by_instruction) {
      pair_square(
          square, rows, [](Vector a, Vector b) HWY_ATTR { return words_of(a, b); }, out);
    } else {
      pair_square(
          square, rows, [](Vector a, Vector b) HWY_ATTR { return words_by_hand(a, b); }, out);
    }
  }
}

// Rounds two rows of `width` numbers and writes the words of the pairs (earlier[j], later[j]) to out [width].
HWY_INLINE void pair_rows_as_words(const float* earlier, const float* later, int64_t width, float* out) {
  each(width,
       [&](int64_t j, size_t n) HWY_ATTR { store(words_of(load(earlier + j, n), load(later + j, n)), out + j, n); });
}
// Rounds the same two rows in place and exchanges them, for pairs as floats, the later first.
HWY_INLINE void swap_rows(float* earlier, float* later, int64_t width) {
  const Tag tag;
  each(width, [&](int64_t j, size_t n) HWY_ATTR {
    const auto a = rounded(load(earlier + j, n)), b = rounded(load(later + j, n));
    store(hn::BitCast(tag, b), earlier + j, n);
    store(hn::BitCast(tag, a), later + j, n);
  });
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
