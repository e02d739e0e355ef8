#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/attention.h"

namespace compeer::kernels {

/// The keys and values of a training batch, copied to pages of 16 positions, the layout that the attention kernels
/// read. Contexts share the full pages of a common prefix.
class ContextPages {
 public:
  /// Copies k and v [rows, key heads * dim]. If `mirrored`, also makes pages with the roles of keys and values
  /// exchanged (values [dim][16], keys [16][dim]), for the backward pass; all pages are then float32, with keys and
  /// values rounded to bfloat16 if `heads.pairs`.
  ContextPages(const float* k, const float* v, const std::vector<Context>& contexts, Heads heads, bool mirrored);

  /// Return the pages of context number `context` (an index into the constructor's list) and a key head, in order of
  /// positions. `mirror`: those with exchanged roles.
  const Page* of(size_t context, int64_t head) const { return list(context, head, pages_); }
  const Page* mirror(size_t context, int64_t head) const { return list(context, head, mirrors_); }

 private:
  // Returns the address of the first page of a context and head in `pages`, which is `pages_` or `mirrors_`.
  const Page* list(size_t context, int64_t head, const std::vector<Page>& pages) const {
    return pages.data() + head * per_head_ + start_[context];
  }
  int64_t per_head_ = 0;               // number of pages in all contexts' lists together
  std::vector<int64_t> start_;         // by context: index of its first page within a head's list
  std::vector<Page> pages_, mirrors_;  // pages by head, then context, then position; and those with exchanged roles
  std::unique_ptr<float[]> data_;      // memory of all pages
};

/// Transposes `rows` (at most 16) rows of `dim` floats, at the addresses in[0], in[1], ..., to out [dim][16]. Missing
/// rows become zeros.
void transpose_page(const float* const* in, int64_t rows, int64_t dim, float* out);

/// Write the key or value of one position (`row` [dim]), rounded to bfloat16, to a page of bfloat16 pairs. `slot` is
/// the index of the position within the page, 0 ... 15. A word of `keys` [dim / 2][16] holds two neighbouring
/// dimensions of a position. A word of `values` [8][dim] holds two neighbouring positions; the earlier one must be
/// written first.
void add_key(const float* row, int64_t dim, int64_t slot, uint32_t* keys);
void add_value(const float* row, int64_t dim, int64_t slot, uint32_t* values);

/// Returns this thread's scratch memory for a kernel, of at least `floats` elements. Valid until the thread's next
/// call; contents are undefined.
inline float* scratch(size_t floats) {
  thread_local std::vector<float> memory;
  if (memory.size() < floats) memory.resize(floats);
  return memory.data();
}

}  // namespace compeer::kernels
