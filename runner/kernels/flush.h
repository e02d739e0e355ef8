#pragma once
#include <xmmintrin.h>

namespace compeer::kernels {

/// While it lives, numbers below the smallest normal one count as zero on this thread, as arguments and as results: so
/// the processor's products of bfloat16 pairs have it, and all others must.
class FlushDenormals {
 public:
  FlushDenormals() { _mm_setcsr(before_ | 0x8040); }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  const unsigned before_ = _mm_getcsr();
};

}  // namespace compeer::kernels
