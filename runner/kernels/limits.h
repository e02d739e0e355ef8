#pragma once

namespace compeer::kernels {

/// What this machine gives at most on the threads in use, measured: for benchmarks to compare with. A quarter of a
/// second each.
double multiply_add_rate();  ///< float32 operations a second, two for each fused multiply-add, nothing from memory
double pair_rate();          ///< the same of products in bfloat16, by whatever instruction they are taken
double read_rate();          ///< bytes a second from memory: the sum of half a gigabyte

}  // namespace compeer::kernels
