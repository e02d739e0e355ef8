// Products in bfloat16: numbers rounded to it and taken in pairs along k. A pair is a word with the earlier number in
// its lower half, or, where only float32 can be multiplied, two floats, the later first: the order in which both count.
// Included once for each instruction set (Highway's foreach_target), hence the unusual guard.
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

using WordTag = hn::RebindToUnsigned<Tag>;

// As Bfloat16::nearest does it. The lower half of each result is zero.
HWY_INLINE hn::Vec<WordTag> rounded(Vector x) {
  const WordTag words;
  const auto bits = hn::BitCast(words, x), last = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto nearest = hn::Add(bits, hn::Add(last, hn::Set(words, 0x7fff)));
  const auto quiet = hn::Or(bits, hn::Set(words, 0x400000));
  const auto result = hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(x)), quiet, nearest);
  return hn::And(result, hn::Set(words, 0xffff0000u));
}

// c + a0 b0 + a1 b1 of words: a1 b1 is added first, then a0 b0, each product and sum rounded once.
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

// `count` numbers in place, and up to a whole vector more.
HWY_INLINE void round_in_place(float* numbers, int64_t count) {
  const Tag tag;
  for (int64_t i = 0; i < count; i += kLanes)
    hn::StoreU(hn::BitCast(tag, rounded(hn::LoadU(tag, numbers + i))), tag, numbers + i);
}

// k neighbours, the last paired with zero: to k / 2 words, or to k floats in pairs. Up to a whole vector more is
// written.
template <bool kWords>
HWY_INLINE void pair_row(const float* in, int64_t k, float* out) {
  const Tag tag;
  for (int64_t i = 0; i < k; i += kLanes) {
    const auto numbers = rounded(load(in + i, static_cast<size_t>(std::min<int64_t>(kLanes, k - i))));
    if constexpr (kWords) {
      const hn::Repartition<uint64_t, Tag> twice;
      const hn::Rebind<uint32_t, decltype(twice)> half;
      const auto both = hn::BitCast(twice, numbers);
      const auto words = hn::Or(hn::ShiftRight<16>(both), hn::ShiftRight<32>(both));
      hn::StoreU(hn::TruncateTo(half, words), half, reinterpret_cast<uint32_t*>(out + i / 2));
    } else {
      hn::StoreU(hn::BitCast(tag, hn::Shuffle2301(numbers)), tag, out + i);
    }
  }
}

// The same of columns, in place: rows of `width` numbers, an even number of them, become half as many rows of words, or
// change places.
template <bool kWords>
HWY_INLINE void pair_rows(float* rows, int64_t count, int64_t width) {
  const Tag tag;
  for (int64_t i = 0; i < count; i += 2) {
    float *earlier = rows + i * width, *later = earlier + width;
    each(width, [&](int64_t j, size_t n) HWY_ATTR {
      const auto a = rounded(load(earlier + j, n)), b = rounded(load(later + j, n));
      if constexpr (kWords) {
        store(hn::BitCast(tag, hn::Or(hn::ShiftRight<16>(a), b)), rows + i / 2 * width + j, n);
      } else {
        store(hn::BitCast(tag, b), earlier + j, n);
        store(hn::BitCast(tag, a), later + j, n);
      }
    });
  }
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
