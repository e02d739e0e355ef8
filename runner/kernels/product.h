#pragma once
#include <algorithm>
#include <vector>

#include "kernels/gemm.h"

// Internals of the matrix products of gemm.h: one product C = A B as data, and the sizes of its pieces. A panel is 16
// columns of B; a chunk is 256 elements along k. Panels are packed for a chunk at a time.

namespace compeer::kernels {

constexpr int64_t chunk_length = 256;  // elements of k per chunk; determines the bits of results
// Distance in floats of panels that were packed for a chunk: one cache line longer than a panel, so that they do not
// all begin in the same set of the first-level cache.
constexpr int64_t panel_step = chunk_length * Packed::width + 16;
constexpr int64_t strip = 24;       // most panels of B that a thread packs at once
constexpr int64_t row_count = 384;  // most rows of A at once: their chunk of k stays in the second-level cache
// A row of zeros, in place of rows of A^T or B that don't exist.
alignas(64) constexpr float zeros[std::max(row_count, strip* Packed::width)] = {};

// A product C [m, n] = A [m, k] B [k, n] (+ bias), or C += A B.
struct MatrixProduct {
  View a;
  RightMatrix b;
  int64_t k, n;       // sizes of the factors as they are multiplied: after transposition if `transposed`
  bool transposed;    // multiply by the transpose of columns [first, first + k) of b.packed
  const float* bias;  // [n], or null
  float* c;           // first element of C to be computed; unless transposed, it is in column `first`
  int64_t c_row;      // distance of rows of C in floats
  Write write;        // C = A B, or one of two ways of C += A B
  int64_t first;      // transposed: first column of b.packed in use; otherwise column of C at which `c` points
  // Not null: the product of bfloat16 pairs of these rows of A^T and B, in this order; -1 is a row of zeros.
  const std::vector<int64_t>* order = nullptr;

  // True if the product is computed in bfloat16 pairs.
  bool pairs() const { return order || b.format == Format::bfloat16_pairs; }
};

// Returns the number of parts into which `size` elements are divided if a part has at most `most`.
constexpr int64_t parts(int64_t size, int64_t most) { return (size + most - 1) / most; }

// True if `rows` rows of A are so few that A is read directly, and packed B is streamed from memory once. The limit is
// lower for quantized B, because each tile of rows must widen it again.
inline bool streams(const MatrixProduct& product, int64_t rows) {
  if (!product.b.packed || product.transposed || product.a.column != 1) return false;
  return rows <= (is_quantized(product.b.format) ? 16 : 32);
}

// The range [from, to) of indices of rows or panels.
struct IndexRange {
  int64_t from, to;
  int64_t size() const { return to - from; }
  // Returns part i of `parts` parts, with sizes that differ by at most one.
  IndexRange part(int64_t i, int64_t parts) const {
    const int64_t each = size() / parts, longer = size() % parts;
    const int64_t start = from + i * each + std::min(i, longer);
    return {start, start + each + (i < longer)};
  }
};

}  // namespace compeer::kernels
