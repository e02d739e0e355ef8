#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/attention.h"

namespace compeer::kernels {

/// The keys and values of a batch, copied to pages of 16 positions. Contexts share the full pages of a common prefix.
class ContextPages {
 public:
  /// If `mirrored`, also makes pages with the roles of keys and values exchanged, for the backward pass; all pages are
  /// then float32, with values rounded to bfloat16 if `heads.pairs`.
  ContextPages(const float* k, const float* v, const std::vector<Context>& contexts, Heads heads, bool mirrored);

  /// Return the pages of a context and key head, in order of positions. `mirror`: those with exchanged roles.
  const Page* of(size_t context, int64_t head) const { return list(context, head, pages_); }
  const Page* mirror(size_t context, int64_t head) const { return list(context, head, mirrors_); }

 private:
  // Returns the pages of a context and head in one of the two lists.
  const Page* list(size_t context, int64_t head, const std::vector<Page>& pages) const {
    return pages.data() + head * per_head_ + start_[context];
  }
  int64_t per_head_ = 0;               // number of pages in all contexts' lists
  std::vector<int64_t> start_;         // by context: index of its first page within a head's list
  std::vector<Page> pages_, mirrors_;  // by head, context and page
  std::unique_ptr<float[]> data_;      // memory of all pages
};

/// Transposes up to 16 rows of `dim` floats, at the addresses in [0], in [1], ..., to out [dim][16]. Missing rows
/// become zeros.
void transpose_page(const float* const* in, int64_t rows, int64_t dim, float* out);

/// Write one position (`row` [dim], at index `slot` of its page) to a page of bfloat16 pairs. A word of `keys` [dim /
/// 2][16] holds two neighbouring dimensions of a position, a word of `values` [8][dim] holds two neighbouring
/// positions, of which the earlier must be written first.
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
