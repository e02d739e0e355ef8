#pragma once

namespace compeer {

/// How a matrix of weights is kept. What it stands for is float32, and products are those of that matrix. q8_0 and q4_0
/// are the blocks of GGUF files: 32 neighbours of a row share a float16 scale, and are small integers times that scale.
/// bfloat16_pairs: kept as in bfloat16, but what it is multiplied with is rounded to bfloat16 too.
enum class WeightFormat { float32, bfloat16, q8_0, q4_0, bfloat16_pairs };

}  // namespace compeer
