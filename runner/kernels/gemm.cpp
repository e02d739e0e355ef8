#include "kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/workers.h"

#ifndef COMPEER_KERNELS_PRODUCT
#define COMPEER_KERNELS_PRODUCT
namespace compeer::kernels {

constexpr int64_t kChunk = 256;  // part of the bits: see gemm.h
// Distances of panels and row blocks that were rearranged for a chunk: a line more than they are long, or all of them
// would begin in the same set of the first-level cache.
constexpr int64_t kPanelStep = kChunk * Packed::width + 16;
constexpr int64_t kStrip = 24;  // panels of B at once
constexpr int64_t kRows = 384;  // of A at once: their chunk of k stays in the second-level cache

struct MatrixProduct {
  View a;
  const Packed* packed;  // B, or null if it is
  View b;                // this one
  int64_t k, n;
  bool transposed;  // B is the transpose of `packed`, from its column `first` on
  const float* bias;
  float* c;  // else at column `first`
  int64_t c_row;
  Write write;
  int64_t first;
};

// Few rows as they lie: B streams from memory, once. Fewer where each row block has to widen integers again.
inline bool streams(const MatrixProduct& product, int64_t rows) {
  if (!product.packed || product.transposed || product.a.column != 1) return false;
  return rows <= (in_blocks(product.packed->format()) ? 16 : 32);
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
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

// Registers hold the sums, a row of each panel and one element of A. A's rows as they lie: the fewer there are, the
// more panels at once, so that enough sums are in flight. A rearranged: the shape that reads least.
constexpr int kWide = kLanes == 16;
constexpr int kMostRows = kWide ? 8 : 6, kMostPackedRows = kWide ? 14 : 6, kMostPanels = 4;
constexpr int kPanels[9] = {0, 4, kWide ? 4 : 3, kWide ? 4 : 2, kWide ? 4 : 1, kWide ? 4 : 1, kWide ? 4 : 1, 3, 3};
constexpr int kPackedPanels = kWide ? 2 : 1;
constexpr int64_t kBlockStep = kChunk * kMostPackedRows + 16;

template <int R, int P, bool kAlongRows, bool kStreams, Format kFormat>
constexpr Tile fitting() {
  if constexpr (kAlongRows ? R <= kMostRows && P <= kPanels[R] : R <= kMostPackedRows && P <= kPackedPanels)
    return tile<R, P, kAlongRows, kStreams, kFormat>;
  return nullptr;
}
template <bool kAlongRows, bool kStreams, Format kFormat, size_t... I>
constexpr auto table(std::index_sequence<I...>) {
  return std::array<Tile, sizeof...(I)>{
      fitting<I / kMostPanels + 1, I % kMostPanels + 1, kAlongRows, kStreams, kFormat>()...};
}
template <bool kAlongRows, bool kStreams, Format kFormat>
Tile tile_of(int64_t rows, int64_t panels) {
  constexpr int most = kAlongRows ? kMostRows : kMostPackedRows;
  static constexpr auto all = table<kAlongRows, kStreams, kFormat>(std::make_index_sequence<most * kMostPanels>());
  return all[static_cast<size_t>((rows - 1) * kMostPanels + panels - 1)];
}

Tile streaming_tile(Format format, int64_t rows, int64_t panels) {
  switch (format) {
    case Format::float32:
      return tile_of<true, true, Format::float32>(rows, panels);
    case Format::bfloat16:
      return tile_of<true, true, Format::bfloat16>(rows, panels);
    case Format::q8_0:
      return tile_of<true, true, Format::q8_0>(rows, panels);
    case Format::q4_0:
      return tile_of<true, true, Format::q4_0>(rows, panels);
  }
  return nullptr;
}

// A block of C: rows by panels. Memory that a thread needs while it computes one.
class OutputBlock {
 public:
  OutputBlock(const MatrixProduct& product, IndexRange rows, IndexRange panels)
      : p_(product), rows_(rows), panels_(panels) {
    along_rows_ = p_.a.column == 1;
    const int most = along_rows_ ? kMostRows : kMostPackedRows;
    row_blocks_ = (rows.size() + most - 1) / most;
    height_ = (rows.size() + row_blocks_ - 1) / row_blocks_;
    streams_ = streams(p_, rows.size());
    loose_ = !p_.packed || p_.transposed || (p_.packed->format() != Format::float32 && !streams_);
  }

  void compute() {
    const int64_t whole = std::min(panels_.to, p_.n / Packed::width);  // panels without padding
    const int64_t most = along_rows_ ? kPanels[height_] : kPackedPanels;
    const IndexRange full{panels_.from, whole};
    const int64_t groups = (full.size() + most - 1) / most;
    const auto each_group = [&](auto work) {
      for (int64_t g = 0; g < groups; ++g) work(full.part(g, groups));
      if (whole < panels_.to) work(IndexRange{whole, panels_.to});
    };
    const IndexRange all{0, row_blocks_};
    const int64_t chunks = std::max<int64_t>(1, (p_.k + kChunk - 1) / kChunk);
    // Few rows: panel after panel, so that B streams from memory.
    if (streams_) {
      each_group([&](IndexRange group) {
        for (int64_t i = 0; i < chunks; ++i) step(group, i * kChunk, all);
      });
      return;
    }
    // Many: a row block's chunk of A stays in the first-level cache, and lines of C that are neighbours are written one
    // after another.
    for (int64_t i = 0; i < chunks; ++i) {
      if (!along_rows_) pack_left(i * kChunk);
      if (loose_) unpack(panels_, i * kChunk, std::min(kChunk, p_.k - i * kChunk));
      for (int64_t block = 0; block < row_blocks_; ++block)
        each_group([&](IndexRange group) { step(group, i * kChunk, {block, block + 1}); });
    }
  }

 private:
  // Some row blocks with a group of panels, over the chunk that begins at `begin`.
  void step(IndexRange group, int64_t begin, IndexRange blocks) {
    Chunk chunk{};
    chunk.k = std::min(kChunk, p_.k - begin);
    chunk.bias = p_.bias && begin == 0 ? p_.bias + group.from * Packed::width : nullptr;
    chunk.go_on = p_.write == Write::go_on;
    chunk.add = p_.write == Write::add || (p_.write == Write::replace && begin > 0);
    Format format = Format::float32;
    if (loose_) {
      chunk.w = right_ + (group.from - panels_.from) * kPanelStep;
      chunk.panel = kPanelStep;
    } else {
      chunk.w = p_.packed->panel(group.from, begin);
      chunk.panel = static_cast<int64_t>(p_.packed->panel_bytes() / sizeof(float));
      format = p_.packed->format();
    }
    const bool padded = group.to * Packed::width > p_.n;
    for (int64_t i = blocks.from; i < blocks.to; ++i) {
      const IndexRange rows = rows_.part(i, row_blocks_);
      chunk.a = along_rows_ ? View{p_.a.data + rows.from * p_.a.row + begin, p_.a.row, 1}
                            : View{left_ + i * kBlockStep, 1, rows.size()};
      float* c = p_.c + rows.from * p_.c_row + group.from * Packed::width - (p_.transposed ? 0 : p_.first);
      if (streams_) stream(chunk, group, begin, i);
      const Tile run = !along_rows_ ? tile_of<false, false, Format::float32>(rows.size(), group.size())
                       : !streams_  ? tile_of<true, false, Format::float32>(rows.size(), group.size())
                                    : streaming_tile(format, rows.size(), group.size());
      if (padded) {
        through_buffer(run, chunk, rows.size(), p_.n - group.from * Packed::width, c);
      } else {
        run(chunk, c, p_.c_row);
      }
    }
  }

  // What to fetch of B, so that memory never rests: a little ahead, or the next chunk, which may be another group's. It
  // is so small in blocks that a little ahead would be beyond it; several row blocks fetch their parts of it.
  void stream(Chunk& chunk, IndexRange group, int64_t begin, int64_t block) const {
    constexpr int64_t kLine = 64;
    const auto block_of = panel_block(p_.packed->format());
    const int64_t lines = (chunk.k + block_of.rows - 1) / block_of.rows * static_cast<int64_t>(block_of.bytes) / kLine;
    chunk.pace = kLine / row_blocks_;
    chunk.soon = static_cast<const char*>(chunk.w) + 32 * kLine;
    if (row_blocks_ == 1 && !in_blocks(p_.packed->format())) return;
    const bool last = begin + kChunk >= p_.k;
    const void* next =
        last ? p_.packed->panel(std::min(group.to, panels_.to - 1)) : p_.packed->panel(group.from, begin + kChunk);
    chunk.soon = static_cast<const char*>(next) + block * lines / row_blocks_ * kLine;
  }

  // The padded panel: nothing is read or written past the end of a row.
  void through_buffer(Tile run, Chunk chunk, int64_t rows, int64_t columns, float* c) const {
    float buffer[16 * Packed::width] = {}, start[Packed::width] = {};
    if (chunk.bias) std::copy_n(chunk.bias, columns, start);
    chunk.bias = start;
    for (int64_t r = 0; (chunk.add || chunk.go_on) && r < rows; ++r)
      std::copy_n(c + r * p_.c_row, columns, buffer + r * Packed::width);
    run(chunk, buffer, Packed::width);
    for (int64_t r = 0; r < rows; ++r) std::copy_n(buffer + r * Packed::width, columns, c + r * p_.c_row);
  }

  // A chunk of A whose columns are neighbours: each row block as [k][rows].
  void pack_left(int64_t begin) {
    const int64_t k = std::min(kChunk, p_.k - begin);
    for (int64_t j = 0; j < k; ++j) {
      const float* from = p_.a.data + rows_.from + (begin + j) * p_.a.column;
      for (int64_t i = 0; i < rows_.size(); i += 16) prefetch(from + 2 * p_.a.column + i);
      for (int64_t i = 0; i < row_blocks_; ++i) {
        const IndexRange rows = rows_.part(i, row_blocks_);
        float* to = left_ + i * kBlockStep + j * rows.size();
        if (rows.size() == kMostPackedRows) {
          std::memcpy(to, from, kMostPackedRows * sizeof(float));
        } else {
          std::memcpy(to, from, static_cast<size_t>(rows.size()) * sizeof(float));
        }
        from += rows.size();
      }
    }
  }

  // A chunk of a group of panels in float32.
  void unpack(IndexRange group, int64_t begin, int64_t k) {
    const Tag tag;
    const int64_t whole = std::min(group.to, p_.n / Packed::width);
    if (!p_.packed) {
      for (int64_t i = 0; i < k; ++i) {
        const float* from = p_.b.data + (begin + i) * p_.b.row + group.from * Packed::width;
        float* to = right_ + i * Packed::width;
        for (int64_t p = group.from; p < group.to; ++p)
          prefetch(from + 2 * p_.b.row + (p - group.from) * Packed::width);
        for (int64_t p = group.from; p < whole; ++p, from += Packed::width, to += kPanelStep) {
          for (int v = 0; v < kParts; ++v) hn::StoreU(hn::LoadU(tag, from + v * kLanes), tag, to + v * kLanes);
        }
        if (whole < group.to) std::copy_n(from, p_.n % Packed::width, to);
      }
      return;
    }
    if (p_.transposed) return unpack_transposed(group, begin, k);
    for (int64_t p = group.from; p < group.to; ++p) widened(p, begin, k, right_ + (p - group.from) * kPanelStep);
  }

  void widened(int64_t panel, int64_t begin, int64_t rows, float* to) const {
    switch (p_.packed->format()) {
      case Format::float32:
        break;  // read as it lies
      case Format::bfloat16:
        return widen<Format::bfloat16>(*p_.packed, panel, begin, rows, to);
      case Format::q8_0:
        return widen<Format::q8_0>(*p_.packed, panel, begin, rows, to);
      case Format::q4_0:
        return widen<Format::q4_0>(*p_.packed, panel, begin, rows, to);
    }
  }

  // The same of a matrix whose transpose is kept: squares of its panels are turned. Of the last panel, which may be
  // padded, only its own columns are read.
  void unpack_transposed(IndexRange group, int64_t begin, int64_t k) {
    constexpr int64_t kSide = Packed::width;
    alignas(64) float square[kSide * kSide];
    for (int64_t i = 0; i < k; i += kSide) {
      const int64_t panel = (p_.first + begin + i) / kSide, rows = std::min(kSide, k - i);
      for (int64_t p = group.from; p < group.to; ++p) {
        float* to = right_ + (p - group.from) * kPanelStep + i * kSide;
        const int64_t columns = std::min(kSide, p_.n - p * kSide);
        const float* from = square;
        if (p_.packed->format() == Format::float32) {
          from = static_cast<const float*>(p_.packed->panel(panel, p * kSide));
        } else {
          widened(panel, p * kSide, columns, square);
        }
        const float* in[kSide];
        for (int64_t j = 0; j < columns; ++j) in[j] = from + j * kSide;
        turn_rows(in, columns, rows, to);
      }
    }
  }

  const MatrixProduct& p_;
  IndexRange rows_, panels_;
  int64_t row_blocks_, height_;
  bool along_rows_, loose_, streams_;
  static thread_local float left_[(kRows / kMostPackedRows + 1) * kBlockStep], right_[kStrip * kPanelStep];
};
alignas(64) thread_local float OutputBlock::left_[(kRows / kMostPackedRows + 1) * kBlockStep];
alignas(64) thread_local float OutputBlock::right_[kStrip * kPanelStep];

void block(const MatrixProduct& product, IndexRange rows, IndexRange panels) {
  OutputBlock(product, rows, panels).compute();
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(block);

namespace {

int64_t parts(int64_t size, int64_t most) { return (size + most - 1) / most; }

// How C is shared out: into so many parts of rows, and of columns.
struct Split {
  int64_t rows, strips;
};

// Each strip rearranges all of A, each part of rows all of B.
Split least_rearranging(int64_t m, int64_t panels, int64_t wanted) {
  Split best{};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t rows = parts(m, kRows); rows <= std::max(parts(m, kRows), wanted); ++rows) {
    const int64_t strips = std::min(parts(panels, 4), std::max(parts(panels, kStrip), parts(wanted, rows)));
    const int64_t moved = strips * m + rows * panels * Packed::width;
    if (moved < least) best = {rows, strips}, least = moved;
  }
  return best;
}

constexpr int64_t kLeast = 1 << 19;  // multiply-adds that are worth a thread's attention

Split split(const MatrixProduct& product, int64_t m, int64_t panels, int64_t work) {
  const bool copies = (!product.packed || product.transposed) && product.a.column == 1;
  const Split whole{parts(m, copies ? 4 * kRows : kRows), parts(panels, kStrip)};
  if (threads() == 1 || work < 2 * kLeast) return streams(product, m) ? Split{whole.rows, 1} : whole;
  if (product.a.column != 1) return least_rearranging(m, panels, std::min<int64_t>(2 * threads(), work / kLeast));
  const int64_t wanted = std::min<int64_t>(4 * threads(), work / kLeast);
  return {whole.rows, std::min(std::max(whole.strips, parts(wanted, whole.rows)), parts(panels, 3))};
}

void compute(const MatrixProduct& product, int64_t m, IndexRange panels) {
  const int64_t work = m * product.k * panels.size() * Packed::width;
  const auto [row_parts, strips] = split(product, m, panels.size(), work);
  const auto one = [&, row_parts = row_parts, strips = strips](int64_t i) {
    HWY_DYNAMIC_DISPATCH(block)(product, IndexRange{0, m}.part(i / strips, row_parts), panels.part(i % strips, strips));
  };
  const int64_t count = row_parts * strips;
  if (work < 2 * kLeast) {
    for (int64_t i = 0; i < count; ++i) one(i);
  } else {
    share(count, one);
  }
}

}  // namespace

void multiply(View a, int64_t m, const Packed& b, const float* bias, float* c, int64_t c_row, Write write,
              int64_t first, int64_t columns) {
  const int64_t last = columns < 0 ? b.n() : std::min(b.n(), first + columns);
  if (m == 0 || last <= first) return;
  const MatrixProduct product{a, &b, {}, b.k(), b.n(), false, bias, c, c_row, write, first};
  compute(product, m, {first / Packed::width, (last + Packed::width - 1) / Packed::width});
}

void multiply_by_transpose(View a, int64_t m, const Packed& b, float* c, int64_t c_row, Write write, int64_t first,
                           int64_t columns) {
  const int64_t last = columns < 0 ? b.n() : std::min(b.n(), first + columns);
  if (m == 0 || b.k() == 0 || last <= first) return;
  const MatrixProduct product{a, &b, {}, last - first, b.k(), true, nullptr, c, c_row, write, first};
  compute(product, m, {0, (b.k() + Packed::width - 1) / Packed::width});
}

void multiply(View a, int64_t m, View b, int64_t k, int64_t n, float* c, int64_t c_row, Write write) {
  if (m == 0 || n == 0) return;
  const MatrixProduct product{a, nullptr, b, k, n, false, nullptr, c, c_row, write, 0};
  compute(product, m, {0, (n + Packed::width - 1) / Packed::width});
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
