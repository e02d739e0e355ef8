#pragma once
#include <xmmintrin.h>

#include <string>
#include <vector>

namespace compeer::kernels {

/// The kernels are compiled for several x86 instruction sets; the best one of this machine is chosen at run time.

/// Returns the names of the instruction sets that the kernels support and this machine has, the best first:
/// avx512_bf16, avx512, avx2, avx2_words. All give bitwise identical results. avx2_words is for tests only: AVX2 with
/// the data layout of avx512_bf16, slower than avx2.
std::vector<std::string> instruction_sets();

/// Returns the name of the instruction set in use; by default the best.
const std::string& instruction_set();

/// Switches to another instruction set; an empty name selects the best. Returns false if this machine does not have it
/// or the name is unknown. Not thread-safe.
bool use_instruction_set(const std::string& name);

/// Uses the instruction set named by the environment variable COMPEER_ISA, if it is set. Throws Error (exit code 2:
/// command line or machine) if this machine does not have it or the name is unknown.
void use_instruction_set_from_environment();

/// True if the instruction set in use multiplies pairs of bfloat16 numbers as 32-bit words (instruction vdpbf16ps),
/// false if it multiplies them as two floats.
bool pairs_are_words();

/// Treats denormal numbers as zero on this thread, in arguments and results, for the lifetime of the object. The
/// processor's instruction for bfloat16 pairs does so always, so the other implementations of such products must, too.
class FlushDenormals {
 public:
  FlushDenormals() { _mm_setcsr(before_ | 0x8040); }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  const unsigned before_ = _mm_getcsr();  // the thread's floating-point control register, restored at the end
};

}  // namespace compeer::kernels
