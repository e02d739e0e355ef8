#include "kernels/gemm.h"

#include <omp.h>

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

constexpr int64_t kChunk = 256;  // part of the bits: see gemm.h

// The tile of R rows by P panels at (row of a, panel of b): the whole of k, chunk by chunk. Plain arrays and loops
// with constant bounds: g++ keeps them in registers, which it does not for anything cleverer.
template <int R, int P>
void tile(View a, const float* b, int64_t k, const float* bias, float* c, int64_t c_row, bool add) {
  const Tag tag;
  const int64_t panel = k * Packed::width;
  for (int64_t begin = 0; begin < k || begin == 0; begin += kChunk) {
    const int64_t end = std::min(k, begin + kChunk);
    Vector sum[R][P * kParts];
    HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
      HWY_UNROLL(8) for (int p = 0; p < P * kParts; ++p) {
        sum[r][p] = bias && begin == 0 ? hn::LoadU(tag, bias + p * kLanes) : hn::Zero(tag);
      }
    }
    const float* x = a.data + begin * a.column;
    const float* w = b + begin * Packed::width;
    for (int64_t i = begin; i < end; ++i, x += a.column, w += Packed::width) {
      Vector right[P * kParts];
      HWY_UNROLL(8) for (int p = 0; p < P * kParts; ++p) {
        right[p] = hn::LoadU(tag, w + (p / kParts) * panel + (p % kParts) * kLanes);
      }
      HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
        const Vector left = hn::Set(tag, x[r * a.row]);
        HWY_UNROLL(8) for (int p = 0; p < P * kParts; ++p) sum[r][p] = hn::MulAdd(left, right[p], sum[r][p]);
      }
    }
    const bool first = begin == 0 && !add;
    HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
      HWY_UNROLL(8) for (int p = 0; p < P * kParts; ++p) {
        float* out = c + r * c_row + p * kLanes;
        hn::StoreU(first ? sum[r][p] : hn::Add(hn::LoadU(tag, out), sum[r][p]), tag, out);
      }
    }
  }
}

using Tile = void (*)(View, const float*, int64_t, const float*, float*, int64_t, bool);

// More panels at once when there are few rows, so that enough sums are in flight.
constexpr Tile kWide[7] = {
    nullptr, tile<1, 4>, tile<2, 2>, tile<3, 2>, tile<4, kLanes / 8>, tile<5, kLanes / 8>, tile<6, kLanes / 8>};
constexpr int kWidePanels[7] = {0, 4, 2, 2, kLanes / 8, kLanes / 8, kLanes / 8};
constexpr Tile kNarrow[7] = {nullptr, tile<1, 1>, tile<2, 1>, tile<3, 1>, tile<4, 1>, tile<5, 1>, tile<6, 1>};

// One row block against panels [from, to); `base` is the panel that c points at, `n` the columns that exist.
void row_block(View a, int64_t rows, const Packed& b, int64_t from, int64_t to, int64_t base, const float* bias,
               float* c, int64_t c_row, bool add) {
  const int64_t whole = b.n() / Packed::width;  // panels without padding
  for (int64_t p = from; p < to;) {
    float* out = c + (p - base) * Packed::width;
    const float* add_bias = bias ? bias + p * Packed::width : nullptr;
    if (p >= whole) {  // the padded panel goes through a buffer, so nothing is written past the row
      const int64_t left = b.n() - p * Packed::width;
      float buffer[6 * Packed::width] = {}, start[Packed::width] = {};
      if (add_bias) std::copy(add_bias, add_bias + left, start);
      for (int64_t r = 0; add && r < rows; ++r)
        std::copy(out + r * c_row, out + r * c_row + left, buffer + r * Packed::width);
      kNarrow[rows](a, b.panel(p), b.k(), add_bias ? start : nullptr, buffer, Packed::width, add);
      for (int64_t r = 0; r < rows; ++r)
        std::copy(buffer + r * Packed::width, buffer + r * Packed::width + left, out + r * c_row);
      ++p;
    } else if (p + kWidePanels[rows] <= std::min(to, whole)) {
      kWide[rows](a, b.panel(p), b.k(), add_bias, out, c_row, add);
      p += kWidePanels[rows];
    } else {
      kNarrow[rows](a, b.panel(p), b.k(), add_bias, out, c_row, add);
      ++p;
    }
  }
}

// Rows [row, row + rows) against panels [from, to): panels in the outer loop, so a panel is read from memory once.
void block(View a, int64_t m, const Packed& b, int64_t from, int64_t to, int64_t base, const float* bias, float* c,
           int64_t c_row, bool add) {
  constexpr int64_t kPanels = 4;
  for (int64_t p = from; p < to; p += kPanels) {
    for (int64_t row = 0; row < m; row += 6) {
      const View rows{a.data + row * a.row, a.row, a.column};
      row_block(rows, std::min<int64_t>(6, m - row), b, p, std::min(to, p + kPanels), base, bias, c + row * c_row,
                c_row, add);
    }
  }
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(block);

int threads() { return omp_get_max_threads(); }

void Packed::pack(View b, int64_t k, int64_t n) {
  k_ = k;
  n_ = n;
  const int64_t panels = (n + width - 1) / width;
  data_.resize(static_cast<size_t>(panels * k * width));
  for (int64_t p = 0; p < panels; ++p) {
    float* out = data_.data() + p * k * width;
    const int64_t columns = std::min(width, n - p * width);
    const float* in = b.data + p * width * b.column;
    if (b.column == 1 && columns == width) {
      for (int64_t i = 0; i < k; ++i) std::memcpy(out + i * width, in + i * b.row, width * sizeof(float));
      continue;
    }
    if (columns < width) std::fill(out, out + k * width, 0.0f);
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < k; ++i) out[i * width + j] = in[i * b.row + j * b.column];
    }
  }
}

void multiply(View a, int64_t m, const Packed& b, const float* bias, float* c, int64_t c_row, Write write,
              int64_t first, int64_t columns) {
  const int64_t last = columns < 0 ? b.n() : std::min(b.n(), first + columns);
  const int64_t from = first / Packed::width, to = (last + Packed::width - 1) / Packed::width;
  const bool add = write == Write::add;
  const int64_t parts = m * b.k() * (last - first) < (1 << 19) ? 1 : threads();
  if (parts == 1) {
    HWY_DYNAMIC_DISPATCH(block)(a, m, b, from, to, from, bias, c, c_row, add);
    return;
  }
  // By columns when there are enough of them for all, else by rows.
  const bool by_columns = to - from >= 4 * parts;
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static)
  for (int64_t part = 0; part < parts; ++part) {
    if (by_columns) {
      const int64_t lo = from + (to - from) * part / parts, hi = from + (to - from) * (part + 1) / parts;
      HWY_DYNAMIC_DISPATCH(block)(a, m, b, lo, hi, from, bias, c, c_row, add);
    } else {
      const int64_t lo = m * part / parts, hi = m * (part + 1) / parts;
      HWY_DYNAMIC_DISPATCH(block)
      ({a.data + lo * a.row, a.row, a.column}, hi - lo, b, from, to, from, bias, c + lo * c_row, c_row, add);
    }
  }
}

const char* instruction_set() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // lower bits are wider sets
}

bool use_instruction_set(const char* name) {
  hwy::SetSupportedTargetsForTest(0);
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (std::strcmp(hwy::TargetName(target), name) == 0) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(target);
      return true;
    }
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return false;
}

}  // namespace compeer::kernels
#endif
