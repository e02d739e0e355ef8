#pragma once

namespace compeer {

/// Storage format of a weight matrix in memory. Matrix products are computed with float32 values: bfloat16, q8_0 and
/// q4_0 are widened exactly. q8_0 and q4_0 are the block formats of GGUF files: 32 consecutive weights of a row are 8-
/// or 4-bit integers that share a float16 scale. bfloat16_pairs stores bfloat16 and also rounds the other factor of
/// each product to bfloat16.
enum class WeightFormat { float32, bfloat16, q8_0, q4_0, bfloat16_pairs };

}  // namespace compeer
