// Packs matrices into panels, in each format.
#include "kernels/packed.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/pages.h"
#include "kernels/instruction_set.h"
#include "kernels/quantized.h"
#include "kernels/workers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/packed.cpp"
#include <hwy/foreach_target.h>

#include "kernels/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

void transpose_whole_panel(const float* const* columns, int64_t k, float* out) { transpose_panel(columns, 16, k, out); }
void transpose_whole_panel_to_words(const float* const* columns, int64_t k, float* out) {
  transpose_panel_to_words(columns, 16, k, out);
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(transpose_whole_panel);
HWY_EXPORT(transpose_whole_panel_to_words);

namespace {

constexpr int64_t panel_width = Packed::width;

float widened(float value) { return value; }
float widened(Bfloat16 value) { return value.widened(); }

// Converts a number to the stored type.
template <class To, class From>
To kept(From value) {
  if constexpr (std::is_same_v<To, From>) return value;
  if constexpr (std::is_same_v<To, float>) return widened(value);
  if constexpr (std::is_same_v<To, Bfloat16>) return Bfloat16::nearest(widened(value));
}

// Packs one panel: element (i, j) goes to out[i / pair * 16 * pair + j * pair + i % pair], with pair = 1 for float32
// and 2 for bfloat16.
template <class To, class From>
void pack_panel(MatrixView<From> b, int64_t k, int64_t columns, To* out) {
  constexpr int64_t pair = std::is_same_v<To, float> ? 1 : 2;
  if constexpr (std::is_same_v<From, float>) {
    if (b.row == 1 && columns == panel_width) {
      const float* in[panel_width];
      for (int64_t j = 0; j < panel_width; ++j) in[j] = b.data + j * b.column;
      auto* words = reinterpret_cast<float*>(out);
      return pair == 1 ? HWY_DYNAMIC_DISPATCH(transpose_whole_panel)(in, k, words)
                       : HWY_DYNAMIC_DISPATCH(transpose_whole_panel_to_words)(in, k, words);
    }
  }
  if (columns < panel_width || k % pair != 0) std::fill_n(out, (k + pair - 1) / pair * pair * panel_width, To());
  for (int64_t i = 0; i < k; ++i) {
    To* line = out + i / pair * panel_width * pair + i % pair;
    const From* in = b.data + i * b.row;
    if (columns == panel_width) {
      for (int64_t j = 0; j < panel_width; ++j) line[j * pair] = kept<To>(in[j * b.column]);
    } else {
      for (int64_t j = 0; j < columns; ++j) line[j * pair] = kept<To>(in[j * b.column]);
    }
  }
}

// Packs one panel in quantized blocks along k.
template <class From>
void pack_blocks(MatrixView<From> b, int64_t k, int64_t columns, Format format, std::byte* out) {
  constexpr int64_t row_count = QuantizedBlock::length;
  for (int64_t i = 0; i < k; i += row_count, out += panel_block(format).bytes) {
    auto* scales = reinterpret_cast<uint16_t*>(out);
    auto* bytes = reinterpret_cast<uint8_t*>(scales + panel_width);
    QuantizedBlock column[panel_width];
    for (int64_t j = 0; j < columns; ++j) {
      float values[row_count];
      const int64_t count = std::min(row_count, k - i);
      for (int64_t r = 0; r < count; ++r) values[r] = widened(b.data[(i + r) * b.row + j * b.column]);
      column[j] = quantized(values, count, format);
    }
    for (int64_t j = 0; j < panel_width; ++j) scales[j] = column[j].scale;
    for (int64_t r = 0; r < (format == Format::q8_0 ? row_count : row_count / 2); ++r, bytes += panel_width) {
      const auto row = static_cast<size_t>(r), later = static_cast<size_t>(r + row_count / 2);
      for (int64_t j = 0; j < panel_width; ++j) {
        const auto& q = column[j].q;
        bytes[j] = static_cast<uint8_t>(format == Format::q8_0 ? q[row] : (q[row] & 0xf) | q[later] << 4);
      }
    }
  }
}

// Asks for huge pages, because a product reads all of this memory. The range is extended to whole huge pages, which
// matrices share with their neighbours: aligning each matrix would waste up to 2 MB.
void want_large_pages(std::byte* memory, size_t size) {
  constexpr uintptr_t page = uintptr_t{1} << 21;
  if (size < page) return;
  const auto begin = reinterpret_cast<uintptr_t>(memory), from = begin / page * page;
  ::madvise(reinterpret_cast<void*>(from), (begin + size + page - 1) / page * page - from, MADV_HUGEPAGE);
}

}  // namespace

void Packed::Release::operator()(std::byte* memory) const { std::free(memory); }

void Packed::forget() {
  if (empty()) return;
  compeer::release_pages(data_.get(), capacity_);
  n_ = 0;
}

void Packed::reserve(size_t size) {
  if (size <= capacity_) return;
  constexpr size_t align = 64;
  capacity_ = 0;
  data_.reset();
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(align, (size + align - 1) / align * align)));
  if (!data_) throw std::bad_alloc();
  want_large_pages(data_.get(), size);
  capacity_ = size;
}

template <class T>
void Packed::rearrange(MatrixView<T> b, int64_t k, int64_t n, Format format) {
  k_ = k, n_ = n, format_ = format;
  reserve(bytes());
  const auto one = [&](int64_t p) {
    const MatrixView<T> in{b.data + p * width * b.column, b.row, b.column};
    const int64_t columns = std::min(width, n_ - p * width);
    std::byte* to = data_.get() + static_cast<size_t>(p) * panel_bytes();
    if (format_ == Format::float32) {
      pack_panel(in, k_, columns, reinterpret_cast<float*>(to));
    } else if (in_bfloat16(format_)) {
      pack_panel(in, k_, columns, reinterpret_cast<Bfloat16*>(to));
    } else {
      pack_blocks(in, k_, columns, format_, to);
    }
  };
  if (k * n < (1 << 16)) {
    for (int64_t p = 0; p < panels(); ++p) one(p);
  } else {
    parallel_for(panels(), one);
  }
}

void Packed::pack(View b, int64_t k, int64_t n, Format format) { rearrange(b, k, n, format); }
void Packed::pack(MatrixView<Bfloat16> b, int64_t k, int64_t n, Format format) { rearrange(b, k, n, format); }

}  // namespace compeer::kernels
#endif
