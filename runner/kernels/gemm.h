#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/packed.h"
#include "kernels/workers.h"

namespace compeer::kernels {

enum class Write { replace, add, go_on };

/// C [m, n] = A [m, k] B (+ bias), or C += A B in one of two ways. Row i of C starts at c + i * c_row. In a row of A or
/// in a column of it the elements must be neighbours.
///
/// Each element has one fixed order of operations, whatever m, n, the threads and the vector width:
///   chunk(i) = one chain of fused multiply-adds over k in [256 i, 256 (i + 1)), chunk(0) starting from the bias,
///   c        = ((chunk(0)) + chunk(1)) + ...            (replace)
///   c        = ((c + chunk(0)) + chunk(1)) + ...        (add; no bias)
///   c        = one chain over all k that starts from c  (go_on; no bias): cutting k in parts changes nothing
/// A bfloat16 B gives the bits of the float32 B that it widens to.
///
/// bfloat16_pairs: A is rounded as B is, and chains take k in pairs, each the later of the two first, the last one
/// paired with zeros if it is alone:
///   ... + a[1] b[1]) + a[0] b[0]) + a[3] b[3]) + a[2] b[2]) ...
/// float32 all along, but numbers below the smallest normal one count as zero (FlushDenormals).
///
/// `first` columns may be skipped: only panels [first / 16, ...) up to `columns` columns are computed, so a caller can
/// walk over a wide B in tiles; c then points at column `first`, which must be a multiple of 16.
void multiply(View a, int64_t m, const RightMatrix& b, const float* bias, float* c, int64_t c_row, Write write,
              int64_t first = 0, int64_t columns = -1);

/// One of several products with the same A: what it is multiplied by, and where that goes.
struct Factor {
  RightMatrix b;
  const float* bias;
  float* c;
  int64_t c_row;
};

/// The same for each of them (three at most), shared out among the threads at once.
constexpr size_t most_factors = 3;
void multiply(View a, int64_t m, std::span<const Factor> factors, Write write);

/// C [m, k] of A [m, n] and the transpose of a B [k, n], as gradients with respect to a product's left factor have it.
/// Of B only the columns [first, first + n) may be meant, with `first` a multiple of 16.
void multiply_by_transpose(View a, int64_t m, const RightMatrix& b, float* c, int64_t c_row, Write write,
                           int64_t first = 0, int64_t columns = -1);

/// Rows that are paired within runs of so many, one after another: a run that is differentiated alone has the same
/// pairs.
class RowPairs {
 public:
  explicit RowPairs(const std::vector<int64_t>& lengths);
  const std::vector<int64_t>& order() const { return order_; }  ///< the rows, and -1 beside one that is alone

 private:
  std::vector<int64_t> order_;
};

/// C [m, n] += A B in bfloat16 pairs of rows of A^T and B: one chain that starts from what is in C. In a column of A
/// and in a row of B the elements must be neighbours.
void add_pairs(View a, int64_t m, View b, const RowPairs& rows, int64_t n, float* c, int64_t c_row);

}  // namespace compeer::kernels
