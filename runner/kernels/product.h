#pragma once
#include <algorithm>
#include <vector>

#include "kernels/gemm.h"

namespace compeer::kernels {

constexpr int64_t chunk_length = 256;  // elements of k per chunk; determines the bits of results (gemm.h)
// Distance in floats of panels that were packed for a chunk: one cache line longer than a panel, so that they do not
// all begin in the same set of the first-level cache.
constexpr int64_t panel_step = chunk_length * Packed::width + 16;
constexpr int64_t strip = 24;       // panels of B that are packed at once
constexpr int64_t row_count = 384;  // rows of A at once: their chunk of k stays in the second-level cache
alignas(64) constexpr float zeros[std::max(row_count, strip* Packed::width)] = {};

// A product C [m, n] = A [m, k] B (+ bias), or C += A B, see gemm.h.
struct MatrixProduct {
  View a;
  RightMatrix b;
  int64_t k, n;       // columns of A, columns of C
  bool transposed;    // multiply by the transpose of columns [first, first + k) of b.packed
  const float* bias;  // [n]; null: none
  float* c;           // first element of C; unless transposed, it is in column `first`
  int64_t c_row;
  Write write;
  int64_t first;  // see `transposed` and `c`
  // Not null: the product of bfloat16 pairs of these rows of A^T and B, in this order; -1 is a row of zeros.
  const std::vector<int64_t>* order = nullptr;

  bool pairs() const { return order || b.format == Format::bfloat16_pairs; }
};

// The number of parts of at most `most` elements.
constexpr int64_t parts(int64_t size, int64_t most) { return (size + most - 1) / most; }

// True if A has so few rows that it is read directly, and packed B is streamed from memory once. The limit is lower for
// quantized B, which each row block must widen again.
inline bool streams(const MatrixProduct& product, int64_t rows) {
  if (!product.b.packed || product.transposed || product.a.column != 1) return false;
  return rows <= (is_quantized(product.b.format) ? 16 : 32);
}

// The range [from, to).
struct IndexRange {
  int64_t from, to;
  int64_t size() const { return to - from; }
  // Part i of `parts` parts, whose sizes differ by at most one.
  IndexRange part(int64_t i, int64_t parts) const {
    const int64_t each = size() / parts, longer = size() % parts;
    const int64_t start = from + i * each + std::min(i, longer);
    return {start, start + each + (i < longer)};
  }
};

}  // namespace compeer::kernels
