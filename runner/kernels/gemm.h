#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/packed.h"
#include "kernels/workers.h"

// The matrix products of the exact kernels. Each element of a result has one fixed order of operations, so a row's bits
// do not depend on the other rows. A `View` {data, row, column} is a strided float32 matrix; a `RightMatrix` is a right
// factor, packed in advance or not.

namespace compeer::kernels {

/// How a product is written to C; the formulas are those of `multiply`.
enum class Write {
  replace,        ///< C = A B
  add,            ///< C += A B, as the sum of C and chunks of the product
  continue_chain  ///< C += A B, as one chain of fused multiply-adds that starts from C
};

/// C [m, n] = A [m, k] B [k, n] (+ bias [n] in each row), or C += A B in one of two ways. `bias` may be null. Row i of
/// C starts at c + i * c_row. The rows of A, or its columns, must be contiguous (A.column = 1 or A.row = 1).
///
/// Each element has one fixed order of operations for any m, n, number of threads and vector width:
///   chunk(i) = one chain of fused multiply-adds over k in [256 i, 256 (i + 1)), chunk(0) starting from the bias,
///   c        = ((chunk(0)) + chunk(1)) + ...            (replace)
///   c        = ((c + chunk(0)) + chunk(1)) + ...        (add; no bias)
///   c        = one chain over all k that starts from c  (continue_chain; no bias)
/// With continue_chain, dividing k among several calls does not change the bits. A matrix B in bfloat16, q8_0 or q4_0
/// gives the same bits as the float32 matrix that it represents.
///
/// If the format of B is bfloat16_pairs, A is rounded to bfloat16 like B, and chains take k in pairs, the later element
/// of a pair first; the last element is paired with zero if k is odd:
///   ... + a[1] b[1]) + a[0] b[0]) + a[3] b[3]) + a[2] b[2]) ...
/// Sums are float32, but denormal numbers count as zero (FlushDenormals).
///
/// To compute a wide B in tiles, pass `first` and `columns`: only columns [first, first + columns) are computed (-1:
/// all from `first` on). `first` must be a multiple of 16, and c then points at column `first`.
void multiply(View a, int64_t m, const RightMatrix& b, const float* bias, float* c, int64_t c_row, Write write,
              int64_t first = 0, int64_t columns = -1);

/// One of several products with the same A; the fields are the arguments of `multiply` of the same names.
struct Factor {
  RightMatrix b;      ///< right factor [k, n]
  const float* bias;  ///< [n], or null
  float* c;           ///< destination [m, n]
  int64_t c_row;      ///< distance of rows of C in floats
};

/// Maximum number of products in one call (queries, keys and values).
constexpr size_t most_factors = 3;
/// Computes several products with the same A [m, k], divided among the threads together.
void multiply(View a, int64_t m, std::span<const Factor> factors, Write write);

/// C [m, k] = A [m, n] B^T for B [k, n], or C += A B^T: the gradient of a product with respect to its left factor. With
/// `first` and `columns`, only the columns [first, first + columns) of B are used, so that n = columns; `first` must be
/// a multiple of 16.
void multiply_by_transpose(View a, int64_t m, const RightMatrix& b, float* c, int64_t c_row, Write write,
                           int64_t first = 0, int64_t columns = -1);

/// The pairs of rows of a batch of sequences, for products of bfloat16 pairs that sum over rows (gradients of weights).
/// Rows are paired within each sequence, so a sequence's pairs do not depend on the others in the batch.
class RowPairs {
 public:
  /// `lengths`: number of rows of each sequence.
  explicit RowPairs(const std::vector<int64_t>& lengths);
  /// Indices of all rows in order, with -1 (a row of zeros) after the last row of a sequence of odd length. Elements 2i
  /// and 2i + 1 form a pair.
  const std::vector<int64_t>& order() const { return order_; }

 private:
  std::vector<int64_t> order_;  // result of order()
};

/// C [m, n] += A [m, k] B [k, n] in bfloat16 pairs along k, as one chain that starts from C. `rows` defines the pairs
/// of rows of A^T and B. The columns of A and the rows of B must be contiguous. `c_row`: distance of rows of C in
/// floats.
void add_pairs(View a, int64_t m, View b, const RowPairs& rows, int64_t n, float* c, int64_t c_row);

}  // namespace compeer::kernels
