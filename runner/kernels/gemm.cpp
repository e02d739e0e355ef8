// Matrix products: divides C among threads, and each part into register tiles.
#include "kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/instruction_set.h"
#include "kernels/product.h"
#include "kernels/workers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/factors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

// Shapes of tiles. Registers hold the sums, a row of each panel and one element of A. With contiguous rows of A
// (`a_along_rows`), fewer rows are combined with more panels, so that there are enough independent sums. With packed A,
// it is the shape that reads the least memory.
constexpr int wide_registers = lane_count == 16;
constexpr int most_rows = wide_registers ? 8 : 6, most_panels = 4;
constexpr int panel_counts[9] = {0,
                                 4,
                                 wide_registers ? 4 : 3,
                                 wide_registers ? 4 : 2,
                                 wide_registers ? 4 : 1,
                                 wide_registers ? 4 : 1,
                                 wide_registers ? 4 : 1,
                                 3,
                                 3};
constexpr int packed_panels = wide_registers ? 2 : 1;

// The tile of this shape; null if it would not fit in the registers.
template <int R, int P, bool a_along_rows, bool streams_b, RightFactor right_factor>
constexpr Tile fitting() {
  if constexpr (a_along_rows ? R <= most_rows && P <= panel_counts[R] : R <= most_packed_rows && P <= packed_panels)
    return tile<R, P, a_along_rows, streams_b, right_factor>;
  return nullptr;
}
template <bool a_along_rows, bool streams_b, RightFactor right_factor, size_t... I>
constexpr auto table(std::index_sequence<I...>) {
  return std::array<Tile, sizeof...(I)>{
      fitting<I / most_panels + 1, I % most_panels + 1, a_along_rows, streams_b, right_factor>()...};
}
template <bool a_along_rows, bool streams_b, RightFactor right_factor>
Tile tile_of(int64_t rows, int64_t panels) {
  constexpr int most = a_along_rows ? most_rows : most_packed_rows;
  static constexpr auto all =
      table<a_along_rows, streams_b, right_factor>(std::make_index_sequence<most * most_panels>());
  return all[static_cast<size_t>((rows - 1) * most_panels + panels - 1)];
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

// Computes a block of C, rows by panels.
class OutputBlock {
 public:
  OutputBlock(const MatrixProduct& product, IndexRange rows, IndexRange panels)
      : p_(product),
        rows_(rows),
        panels_(panels),
        along_rows_(product.a.column == 1),
        row_blocks_(parts(rows.size(), along_rows_ ? most_rows : most_packed_rows)),
        streams_(streams(product, rows.size())),
        words_(in_words(product)),
        packs_b_per_chunk_(!p_.b.packed || p_.transposed || (p_.b.format != Format::float32 && !streams_ && !words_)),
        left_(product, rows, row_blocks_),
        right_(product, panels) {}

  void compute() {
    const int64_t whole = std::min(panels_.to, p_.n / Packed::width);  // end of the panels without padding
    const int64_t most = along_rows_ ? panel_counts[parts(rows_.size(), row_blocks_)] : packed_panels;
    const IndexRange full{panels_.from, whole};
    const int64_t groups = (full.size() + most - 1) / most;
    const auto each_group = [&](auto work) {
      for (int64_t g = 0; g < groups; ++g) work(full.part(g, groups));
      if (whole < panels_.to) work(IndexRange{whole, panels_.to});
    };
    const IndexRange all{0, row_blocks_};
    const int64_t chunks = std::max<int64_t>(1, (p_.k + chunk_length - 1) / chunk_length);
    // Few rows: panel after panel, so that B is read from memory sequentially.
    if (streams_) {
      left_.prepare_all();
      each_group([&](IndexRange group) {
        for (int64_t i = 0; i < chunks; ++i) step(group, i * chunk_length, all);
      });
      return;
    }
    // Many rows: a row block's chunk of A stays in the first-level cache, and neighbouring cache lines of C are written
    // one after another.
    for (int64_t i = 0; i < chunks; ++i) {
      left_.prepare_chunk(i * chunk_length);
      if (packs_b_per_chunk_) right_.prepare(i * chunk_length);
      for (int64_t block = 0; block < row_blocks_; ++block) {
        left_.prepare_block(i * chunk_length, block);
        each_group([&](IndexRange group) { step(group, i * chunk_length, {block, block + 1}); });
      }
    }
  }

 private:
  // Computes some row blocks with a group of panels, over the chunk that begins at `begin`.
  void step(IndexRange group, int64_t begin, IndexRange blocks) {
    Chunk chunk{};
    chunk.k = std::min(chunk_length, p_.k - begin);
    chunk.bias = p_.bias && begin == 0 ? p_.bias + group.from * Packed::width : nullptr;
    chunk.continue_chain = p_.write == Write::continue_chain;
    chunk.add = p_.write == Write::add || (p_.write == Write::replace && begin > 0);
    if (packs_b_per_chunk_) {
      chunk.w = right_.at(group.from);
      chunk.panel = panel_step;
    } else {
      chunk.w = p_.b.packed->panel(group.from, begin);
      chunk.panel = static_cast<int64_t>(p_.b.packed->panel_bytes() / sizeof(float));
    }
    const int64_t rows_of_chunk = chunk.k;
    if (p_.pairs()) chunk.k = words_ ? (chunk.k + 1) / 2 : chunk.k + chunk.k % 2;
    const bool padded = group.to * Packed::width > p_.n;
    for (int64_t i = blocks.from; i < blocks.to; ++i) {
      const IndexRange rows = rows_.part(i, row_blocks_);
      chunk.a = left_.of(rows, i, begin);
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
    switch (p_.b.format) {
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

  // Chooses the part of B to prefetch, so that memory is always busy: a fixed distance ahead, or, for quantized B or
  // several row blocks, the next chunk, possibly of the next group of panels. (A chunk of quantized B is shorter than
  // the fixed distance.) Each of several row blocks prefetches its part of the chunk.
  void stream(Chunk& chunk, int64_t k, IndexRange group, int64_t begin, int64_t block) const {
    constexpr int64_t line = 64;
    const auto block_of = panel_block(p_.b.format);
    const int64_t lines = (k + block_of.rows - 1) / block_of.rows * static_cast<int64_t>(block_of.bytes) / line;
    chunk.prefetch_bytes_per_step = line / row_blocks_;
    chunk.prefetch_from = static_cast<const char*>(chunk.w) + 32 * line;
    if (row_blocks_ == 1 && !is_quantized(p_.b.format)) return;
    const bool last = begin + chunk_length >= p_.k;
    const void* next = last ? p_.b.packed->panel(std::min(group.to, panels_.to - 1))
                            : p_.b.packed->panel(group.from, begin + chunk_length);
    chunk.prefetch_from = static_cast<const char*>(next) + block * lines / row_blocks_ * line;
  }

  // Computes a tile of the padded panel in a buffer, so that nothing is read or written past the end of a row of C.
  void through_buffer(Tile run, Chunk chunk, int64_t rows, int64_t columns, float* c) const {
    float buffer[16 * Packed::width] = {}, start[Packed::width] = {};
    if (chunk.bias) std::copy_n(chunk.bias, columns, start);
    chunk.bias = start;
    for (int64_t r = 0; (chunk.add || chunk.continue_chain) && r < rows; ++r)
      std::copy_n(c + r * p_.c_row, columns, buffer + r * Packed::width);
    run(chunk, buffer, Packed::width);
    for (int64_t r = 0; r < rows; ++r) std::copy_n(buffer + r * Packed::width, columns, c + r * p_.c_row);
  }

  const MatrixProduct& p_;
  IndexRange rows_, panels_;
  bool along_rows_;
  int64_t row_blocks_;
  bool streams_;
  bool words_;              // bfloat16 pairs as words, not floats
  bool packs_b_per_chunk_;  // B is packed chunk by chunk (RepackedPanels)
  LeftRows left_;
  RepackedPanels right_;
};

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

// The division of C into parts: number of parts of rows, and of strips of columns.
struct Split {
  int64_t rows, strips;
};

// Returns the split with the least packing: each strip packs all of A, each part of rows packs all of B.
Split least_rearranging(int64_t m, int64_t panels, int64_t wanted) {
  Split best{};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t rows = parts(m, row_count); rows <= std::max(parts(m, row_count), wanted); ++rows) {
    const int64_t strips = std::min(parts(panels, 4), std::max(parts(panels, strip), parts(wanted, rows)));
    const int64_t moved = strips * m + rows * panels * Packed::width;
    if (moved < least) best = {rows, strips}, least = moved;
  }
  return best;
}

constexpr int64_t lower_limit = 1 << 19;  // minimum multiply-adds per part
constexpr int64_t readings = 8;           // multiply-adds that take as long as reading an element of B from memory

// A product, and the rows and panels of C to be computed.
struct Work {
  MatrixProduct product;
  int64_t m;
  IndexRange panels;

  // Estimated time in multiply-adds.
  int64_t size() const { return (m + readings) * product.k * panels.size() * Packed::width; }
};

// Returns the split for about `wanted` parts.
Split split(const Work& work, int64_t wanted) {
  const auto& [product, m, panels] = work;
  const bool copies = (!product.b.packed || product.transposed) && product.a.column == 1;
  const Split whole{parts(m, copies ? 4 * row_count : row_count), parts(panels.size(), strip)};
  if (threads() == 1 || wanted < 2) return streams(product, m) ? Split{whole.rows, 1} : whole;
  if (product.a.column != 1) return least_rearranging(m, panels.size(), std::min<int64_t>(2 * threads(), wanted));
  return {whole.rows, std::min(std::max(whole.strips, parts(wanted, whole.rows)), parts(panels.size(), 3))};
}

// Computes several products, divided among all threads.
void compute(std::span<const Work> all) {
  int64_t size = 0, count = 0;
  for (const Work& work : all) size += work.size();
  const int64_t wanted = std::min<int64_t>(4 * threads(), size / lower_limit);
  std::array<Split, most_factors> splits{};
  for (size_t i = 0; i < all.size(); ++i) {
    splits[i] = split(all[i], parts(wanted * all[i].size(), size));
    count += splits[i].rows * splits[i].strips;
  }
  const auto one = [&](int64_t i) {
    size_t which = 0;
    for (; i >= splits[which].rows * splits[which].strips; ++which) i -= splits[which].rows * splits[which].strips;
    const auto& [product, m, panels] = all[which];
    const auto [rows, strips] = splits[which];
    HWY_DYNAMIC_DISPATCH(block)(product, IndexRange{0, m}.part(i / strips, rows), panels.part(i % strips, strips));
  };
  if (wanted < 2) {
    for (int64_t i = 0; i < count; ++i) one(i);
  } else {
    parallel_for(count, one);
  }
}

void compute(const MatrixProduct& product, int64_t m, IndexRange panels) {
  const Work work{product, m, panels};
  compute({&work, 1});
}

}  // namespace

void multiply(View a, int64_t m, const RightMatrix& b, const float* bias, float* c, int64_t c_row, Write write,
              int64_t first, int64_t columns) {
  const int64_t last = columns < 0 ? b.n : std::min(b.n, first + columns);
  if (m == 0 || last <= first) return;
  const MatrixProduct product{a, b, b.k, b.n, false, bias, c, c_row, write, first};
  compute(product, m, {first / Packed::width, parts(last, Packed::width)});
}

void multiply(View a, int64_t m, std::span<const Factor> factors, Write write) {
  std::array<Work, most_factors> all{};
  for (size_t i = 0; i < factors.size(); ++i) {
    const auto& [b, bias, c, c_row] = factors[i];
    all[i] = {{a, b, b.k, b.n, false, bias, c, c_row, write, 0}, m, {0, parts(b.n, Packed::width)}};
  }
  if (m > 0) compute({all.data(), factors.size()});
}

void multiply_by_transpose(View a, int64_t m, const RightMatrix& b, float* c, int64_t c_row, Write write, int64_t first,
                           int64_t columns) {
  const int64_t last = columns < 0 ? b.n : std::min(b.n, first + columns), n = last - first;
  if (!b.packed) {
    const View turned{b.unpacked.data + first * b.unpacked.column, b.unpacked.column, b.unpacked.row};
    return multiply(a, m, {turned, n, b.k, b.format}, nullptr, c, c_row, write);
  }
  if (m == 0 || b.k == 0 || n <= 0) return;
  const MatrixProduct product{a, b, n, b.k, true, nullptr, c, c_row, write, first};
  compute(product, m, {0, parts(b.k, Packed::width)});
}

void add_pairs(View a, int64_t m, View b, const RowPairs& rows, int64_t n, float* c, int64_t c_row) {
  if (m == 0 || n == 0) return;
  const int64_t k = std::ssize(rows.order());
  const MatrixProduct product{a, {b, k, n}, k, n, false, nullptr, c, c_row, Write::continue_chain, 0, &rows.order()};
  compute(product, m, {0, parts(n, Packed::width)});
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
