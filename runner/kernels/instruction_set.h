#pragma once
#include <xmmintrin.h>

#include <string>
#include <vector>

namespace compeer::kernels {

/// The sets of instructions that the kernels know and this machine has, the best first: avx512_bf16, avx512, avx2. All
/// give the same bits. avx2_words is for tests: AVX2 on what avx512_bf16 reads, which is slower than need be.
std::vector<std::string> instruction_sets();

/// The one in use.
const std::string& instruction_set();

/// Another one; an empty name: the best. False if the machine lacks it, or there is none of that name.
bool use_instruction_set(const std::string& name);

/// Uses the one that COMPEER_ISA names, if it names one. Throws if the machine lacks it.
void obey_environment();

/// Whether bfloat16 pairs are multiplied as words.
bool pairs_are_words();

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
