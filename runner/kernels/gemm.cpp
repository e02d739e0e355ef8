#include "kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/flush.h"
#include "kernels/instruction_set.h"
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
  const std::vector<int64_t>* order = nullptr;  // bfloat16 pairs of these rows of A^T and B, -1 for zeros; else all

  bool pairs() const { return order || (packed && packed->format() == Format::bfloat16_pairs); }
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
constexpr int64_t kBlockStep = kChunk * kMostPackedRows + 16, kRoundedStep = kChunk + 16;

template <int R, int P, bool kAlongRows, bool kStreams, RightFactor kRight>
constexpr Tile fitting() {
  if constexpr (kAlongRows ? R <= kMostRows && P <= kPanels[R] : R <= kMostPackedRows && P <= kPackedPanels)
    return tile<R, P, kAlongRows, kStreams, kRight>;
  return nullptr;
}
template <bool kAlongRows, bool kStreams, RightFactor kRight, size_t... I>
constexpr auto table(std::index_sequence<I...>) {
  return std::array<Tile, sizeof...(I)>{
      fitting<I / kMostPanels + 1, I % kMostPanels + 1, kAlongRows, kStreams, kRight>()...};
}
template <bool kAlongRows, bool kStreams, RightFactor kRight>
Tile tile_of(int64_t rows, int64_t panels) {
  constexpr int most = kAlongRows ? kMostRows : kMostPackedRows;
  static constexpr auto all = table<kAlongRows, kStreams, kRight>(std::make_index_sequence<most * kMostPanels>());
  return all[static_cast<size_t>((rows - 1) * kMostPanels + panels - 1)];
}

Tile streaming_tile(RightFactor reads, int64_t rows, int64_t panels) {
  switch (reads) {
    case RightFactor::float32:
      return tile_of<true, true, RightFactor::float32>(rows, panels);
    case RightFactor::bfloat16:
      return tile_of<true, true, RightFactor::bfloat16>(rows, panels);
    case RightFactor::q8_0:
      return tile_of<true, true, RightFactor::q8_0>(rows, panels);
    case RightFactor::q4_0:
      return tile_of<true, true, RightFactor::q4_0>(rows, panels);
    case RightFactor::swapped:
      return tile_of<true, true, RightFactor::swapped>(rows, panels);
    case RightFactor::words:
      return tile_of<true, true, RightFactor::words>(rows, panels);
  }
  return nullptr;
}
Tile cached_tile(bool words, bool along_rows, int64_t rows, int64_t panels) {
  if (words)
    return along_rows ? tile_of<true, false, RightFactor::words>(rows, panels)
                      : tile_of<false, false, RightFactor::words>(rows, panels);
  return along_rows ? tile_of<true, false, RightFactor::float32>(rows, panels)
                    : tile_of<false, false, RightFactor::float32>(rows, panels);
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
    words_ = p_.pairs() && pairs_are_words();
    rounds_ = p_.pairs() && along_rows_;
    loose_ = !p_.packed || p_.transposed || (p_.packed->format() != Format::float32 && !streams_ && !words_);
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
      if (rounds_) round_left();
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
      for (int64_t block = 0; block < row_blocks_; ++block) {
        if (rounds_) round_left(i * kChunk, block);
        each_group([&](IndexRange group) { step(group, i * kChunk, {block, block + 1}); });
      }
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
    if (loose_) {
      chunk.w = right_ + (group.from - panels_.from) * kPanelStep;
      chunk.panel = kPanelStep;
    } else {
      chunk.w = p_.packed->panel(group.from, begin);
      chunk.panel = static_cast<int64_t>(p_.packed->panel_bytes() / sizeof(float));
    }
    const int64_t rows_of_chunk = chunk.k;
    if (p_.pairs()) chunk.k = words_ ? (chunk.k + 1) / 2 : chunk.k + chunk.k % 2;
    const bool padded = group.to * Packed::width > p_.n;
    for (int64_t i = blocks.from; i < blocks.to; ++i) {
      const IndexRange rows = rows_.part(i, row_blocks_);
      chunk.a = left_of(rows, i, begin);
      float* c = p_.c + rows.from * p_.c_row + group.from * Packed::width - (p_.transposed ? 0 : p_.first);
      if (streams_) stream(chunk, rows_of_chunk, group, begin, i);
      const Tile run = streams_ ? streaming_tile(reads(), rows.size(), group.size())
                                : cached_tile(words_, along_rows_, rows.size(), group.size());
      if (padded) {
        through_buffer(run, chunk, rows.size(), p_.n - group.from * Packed::width, c);
      } else {
        run(chunk, c, p_.c_row);
      }
    }
  }

  RightFactor reads() const {
    switch (p_.packed->format()) {
      case Format::float32:
        return RightFactor::float32;
      case Format::bfloat16:
        return RightFactor::bfloat16;
      case Format::q8_0:
        return RightFactor::q8_0;
      case Format::q4_0:
        return RightFactor::q4_0;
      case Format::bfloat16_pairs:
        return words_ ? RightFactor::words : RightFactor::swapped;
    }
    return {};
  }

  // A row block's part of A, from `begin` on: as it lies, rearranged, or rounded.
  View left_of(IndexRange rows, int64_t block, int64_t begin) const {
    if (!along_rows_) return {left_ + block * kBlockStep, 1, rows.size()};
    if (!rounds_) return {p_.a.data + rows.from * p_.a.row + begin, p_.a.row, 1};
    if (!streams_) return {left_, kRoundedStep, 1};
    return {rounded_.data() + (rows.from - rows_.from) * rounded_row() + (words_ ? begin / 2 : begin), rounded_row(),
            1};
  }

  // What to fetch of B, so that memory never rests: a little ahead, or the next chunk, which may be another group's. It
  // is so small in blocks that a little ahead would be beyond it; several row blocks fetch their parts of it.
  void stream(Chunk& chunk, int64_t k, IndexRange group, int64_t begin, int64_t block) const {
    constexpr int64_t kLine = 64;
    const auto block_of = panel_block(p_.packed->format());
    const int64_t lines = (k + block_of.rows - 1) / block_of.rows * static_cast<int64_t>(block_of.bytes) / kLine;
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

  // Of few rows all of A, else a row block's chunk.
  int64_t rounded_row() const { return (p_.k + 2 * Packed::width) / Packed::width * Packed::width; }
  void round_left() {
    const auto size = static_cast<size_t>(rows_.size() * rounded_row());
    if (rounded_.size() < size) rounded_.resize(size);
    for (int64_t r = 0; r < rows_.size(); ++r)
      pair_left(p_.a.data + (rows_.from + r) * p_.a.row, p_.k, rounded_.data() + r * rounded_row());
  }
  void round_left(int64_t begin, int64_t block) {
    const IndexRange rows = rows_.part(block, row_blocks_);
    for (int64_t r = rows.from; r < rows.to; ++r)
      pair_left(p_.a.data + r * p_.a.row + begin, std::min(kChunk, p_.k - begin),
                left_ + (r - rows.from) * kRoundedStep);
  }
  void pair_left(const float* from, int64_t k, float* to) const {
    words_ ? pair_row<true>(from, k, to) : pair_row<false>(from, k, to);
  }

  // Row `i` of the chain over k, as it stands in A^T or B; -1: zeros.
  int64_t row_at(int64_t i) const { return p_.order ? (*p_.order)[static_cast<size_t>(i)] : i; }

  // A chunk of A whose columns are neighbours: each row block as [k][rows].
  void pack_left(int64_t begin) {
    const int64_t k = std::min(kChunk, p_.k - begin), even = k + k % 2;
    const bool swaps = p_.pairs() && !words_;
    for (int64_t j = 0; j < (p_.pairs() ? even : k); ++j) {
      const int64_t at = j < k ? row_at(begin + j) : -1, place = swaps ? j ^ 1 : j;
      if (at < 0) {
        for (int64_t i = 0; i < row_blocks_; ++i) {
          const int64_t rows = rows_.part(i, row_blocks_).size();
          std::fill_n(left_ + i * kBlockStep + place * rows, rows, 0.0f);
        }
        continue;
      }
      const float* from = p_.a.data + rows_.from + at * p_.a.column;
      for (int64_t i = 0; i < rows_.size(); i += 16) prefetch(from + 2 * p_.a.column + i);
      for (int64_t i = 0; i < row_blocks_; ++i) {
        const IndexRange rows = rows_.part(i, row_blocks_);
        float* to = left_ + i * kBlockStep + place * rows.size();
        if (rows.size() == kMostPackedRows) {
          std::memcpy(to, from, kMostPackedRows * sizeof(float));
        } else {
          std::memcpy(to, from, static_cast<size_t>(rows.size()) * sizeof(float));
        }
        from += rows.size();
      }
    }
    for (int64_t i = 0; p_.pairs() && i < row_blocks_; ++i) {
      const int64_t rows = rows_.part(i, row_blocks_).size();
      float* block = left_ + i * kBlockStep;
      words_ ? pair_rows<true>(block, even, rows) : round_in_place(block, even * rows);
    }
  }

  // A chunk of a group of panels in float32, or in pairs.
  void unpack(IndexRange group, int64_t begin, int64_t k) {
    unpack_floats(group, begin, k);
    for (int64_t p = group.from; p_.pairs() && p < group.to; ++p) {
      float* panel = right_ + (p - group.from) * kPanelStep;
      if (k % 2 != 0) std::fill_n(panel + k * Packed::width, Packed::width, 0.0f);
      words_ ? pair_rows<true>(panel, k + k % 2, Packed::width) : pair_rows<false>(panel, k + k % 2, Packed::width);
    }
  }

  void unpack_floats(IndexRange group, int64_t begin, int64_t k) {
    const Tag tag;
    const int64_t whole = std::min(group.to, p_.n / Packed::width);
    if (!p_.packed) {
      for (int64_t i = 0; i < k; ++i) {
        float* to = right_ + i * Packed::width;
        const int64_t at = row_at(begin + i);
        if (at < 0) {
          for (int64_t p = group.from; p < group.to; ++p, to += kPanelStep) std::fill_n(to, Packed::width, 0.0f);
          continue;
        }
        const float* from = p_.b.data + at * p_.b.row + group.from * Packed::width;
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
      case Format::bfloat16_pairs:
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
  bool words_;   // of bfloat16 pairs; else floats
  bool rounds_;  // A's rows
  static thread_local float left_[(kRows / kMostPackedRows + 1) * kBlockStep], right_[kStrip * kPanelStep];
  static thread_local std::vector<float> rounded_;
};
thread_local std::vector<float> OutputBlock::rounded_;
alignas(64) thread_local float OutputBlock::left_[(kRows / kMostPackedRows + 1) * kBlockStep];
alignas(64) thread_local float OutputBlock::right_[kStrip * kPanelStep];

void block(const MatrixProduct& product, IndexRange rows, IndexRange panels) {
  std::optional<FlushDenormals> flush;
  if (product.pairs()) flush.emplace();
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

void add_pairs(View a, int64_t m, View b, const RowPairs& rows, int64_t n, float* c, int64_t c_row) {
  if (m == 0 || n == 0) return;
  const MatrixProduct product{a, nullptr,      b, std::ssize(rows.order()), n, false, nullptr, c, c_row, Write::go_on,
                              0, &rows.order()};
  compute(product, m, {0, (n + Packed::width - 1) / Packed::width});
}

RowPairs::RowPairs(const std::vector<int64_t>& lengths) {
  int64_t row = 0;
  for (const int64_t length : lengths) {
    for (int64_t i = 0; i < length; ++i) order_.push_back(row++);
    if (length % 2 != 0) order_.push_back(-1);
  }
}

}  // namespace compeer::kernels
#endif
