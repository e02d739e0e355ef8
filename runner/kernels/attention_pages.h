#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/attention.h"

namespace compeer::kernels {

/// Keys and values of a batch, rearranged into pages; contexts share the full pages of what they have in common.
class ContextPages {
 public:
  /// Two rows of pages if `mirrored`: the other one has values where keys belong and keys where values belong, as the
  /// gradients need them, which is in float32, rounded if it is in bfloat16 pairs that they are looked at.
  ContextPages(const float* k, const float* v, const std::vector<Context>& contexts, Heads heads, bool mirrored);

  const Page* of(size_t context, int64_t head) const { return list(context, head, pages_); }
  const Page* mirror(size_t context, int64_t head) const { return list(context, head, mirrors_); }

 private:
  const Page* list(size_t context, int64_t head, const std::vector<Page>& pages) const {
    return pages.data() + head * per_head_ + start_[context];
  }
  int64_t per_head_ = 0;        // entries of all contexts' lists
  std::vector<int64_t> start_;  // context -> where its list begins
  std::vector<Page> pages_, mirrors_;
  std::unique_ptr<float[]> data_;
};

/// in: 16 rows of `dim` floats or fewer, at these addresses -> out [dim][16]; missing rows become zeros.
void transpose_page(const float* const* in, int64_t rows, int64_t dim, float* out);

/// The words of bfloat16 pairs that number `at` of a row makes with its neighbour's, and row `slot` of a page with the
/// other row's. The earlier of two must be written first.
void add_key(const float* row, int64_t dim, int64_t slot, uint32_t* keys);
void add_value(const float* row, int64_t dim, int64_t slot, uint32_t* values);

/// Room for one kernel's working numbers, this thread's, kept between calls; valid until its next call of this.
inline float* scratch(size_t floats) {
  thread_local std::vector<float> memory;
  if (memory.size() < floats) memory.resize(floats);
  return memory.data();
}

}  // namespace compeer::kernels
