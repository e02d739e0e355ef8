#pragma once

namespace compeer::kernels {

/// Peak rates of this machine with the threads in use, as a baseline for the benchmark of the kernels (`compeer bench
/// kernels`). Each function measures for 0.25 s and returns the highest rate.
double multiply_add_rate();  ///< float32 operations per second in registers; a fused multiply-add counts as two
double pair_rate();          ///< the same in products of bfloat16 pairs, with the instruction set in use
double read_rate();          ///< bytes per second read from memory, by summing 0.5 GiB

}  // namespace compeer::kernels
