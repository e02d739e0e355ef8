#pragma once
#include <algorithm>
#include <vector>

#include "kernels/gemm.h"

namespace compeer::kernels {

constexpr int64_t chunk_length = 256;  // part of the bits: see gemm.h
// Distances of panels and row blocks that were rearranged for a chunk: a line more than they are long, or all of them
// would begin in the same set of the first-level cache.
constexpr int64_t panel_step = chunk_length * Packed::width + 16;
constexpr int64_t strip = 24;       // panels of B at once
constexpr int64_t row_count = 384;  // of A at once: their chunk of k stays in the second-level cache
alignas(64) constexpr float zeros[std::max(row_count, strip* Packed::width)] = {};

struct MatrixProduct {
  View a;
  RightMatrix b;
  int64_t k, n;
  bool transposed;  // of b.packed the transpose is meant, from its column `first` on
  const float* bias;
  float* c;  // else at column `first`
  int64_t c_row;
  Write write;
  int64_t first;
  const std::vector<int64_t>* order = nullptr;  // bfloat16 pairs of these rows of A^T and B, -1 for zeros; else all

  bool pairs() const { return order || b.format == Format::bfloat16_pairs; }
};

constexpr int64_t parts(int64_t size, int64_t most) { return (size + most - 1) / most; }

// Few rows as they lie: B streams from memory, once. Fewer where each row block has to widen integers again.
inline bool streams(const MatrixProduct& product, int64_t rows) {
  if (!product.b.packed || product.transposed || product.a.column != 1) return false;
  return rows <= (in_blocks(product.b.format) ? 16 : 32);
}

struct IndexRange {
  int64_t from, to;
  int64_t size() const { return to - from; }
  // Part i of `parts` whose sizes differ by one at most.
  IndexRange part(int64_t i, int64_t parts) const {
    const int64_t each = size() / parts, longer = size() % parts;
    const int64_t start = from + i * each + std::min(i, longer);
    return {start, start + each + (i < longer)};
  }
};

}  // namespace compeer::kernels
