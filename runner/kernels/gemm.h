#pragma once
#include <cstdint>
#include <vector>

namespace compeer::kernels {

/// Where the elements of a matrix lie: element (i, j) is data[i * row + j * column].
struct View {
  const float* data = nullptr;
  int64_t row = 0, column = 1;
};

/// A right-hand matrix B [k, n] rearranged once for many products: panels of 16 columns, each panel [k][16], the
/// last one padded with zeros.
class Packed {
 public:
  static constexpr int64_t width = 16;
  Packed() = default;
  Packed(View b, int64_t k, int64_t n) { pack(b, k, n); }

  void pack(View b, int64_t k, int64_t n);  ///< reuses the memory it has
  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  bool empty() const { return n_ == 0; }
  const float* panel(int64_t index) const { return data_.data() + index * k_ * width; }

 private:
  int64_t k_ = 0, n_ = 0;
  std::vector<float> data_;
};

enum class Write { replace, add };

/// C [m, n] = A [m, k] B (+ bias), or C += A B. Row i of C starts at c + i * c_row.
///
/// Each element has one fixed order of operations, whatever m, n, the threads and the vector width:
///   chunk(i) = one chain of fused multiply-adds over k in [256 i, 256 (i + 1)), chunk(0) starting from the bias,
///   c        = ((chunk(0)) + chunk(1)) + ...            (replace)
///   c        = ((c + chunk(0)) + chunk(1)) + ...        (add; no bias)
/// `first` columns may be skipped: only panels [first / 16, ...) up to `columns` columns are computed, so a caller can
/// walk over a wide B in tiles; c then points at column `first`, which must be a multiple of 16.
void multiply(View a, int64_t m, const Packed& b, const float* bias, float* c, int64_t c_row, Write write,
              int64_t first = 0, int64_t columns = -1);

/// Threads the kernels use: OpenMP's own number, which at::set_num_threads sets for the program and its plugins alike.
/// No result depends on it.
int threads();

/// Instruction set in use, "AVX2" or "AVX3", and the choice of another one for tests: false if the machine lacks it.
const char* instruction_set();
bool use_instruction_set(const char* name);

}  // namespace compeer::kernels
