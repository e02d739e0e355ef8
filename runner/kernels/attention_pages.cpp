// Copies keys and values of a batch to pages, in the layout that attention reads.
#include "kernels/attention_pages.h"

#include <algorithm>
#include <unordered_map>

#include "kernels/packed.h"
#include "kernels/workers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_pages.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

void transpose_page(const float* const* in, int64_t rows, int64_t dim, float* out) {
  if (rows < 16) std::fill_n(out, dim * 16, 0.0f);
  transpose_rows(in, rows, dim, out);
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(transpose_page);

void transpose_page(const float* const* in, int64_t rows, int64_t dim, float* out) {
  HWY_DYNAMIC_DISPATCH(transpose_page)(in, rows, dim, out);
}

namespace {

// A page to fill: the rows of k and v for its `count` positions.
struct Plan {
  const int64_t* rows;
  int64_t count;
};

// Returns the bits of a number rounded to bfloat16, in the upper half of a word.
uint32_t upper(float value) { return uint32_t{Bfloat16::nearest(value).bits} << 16; }

// Copies the rows of a page, transposed to `transposed` [dim][16] and as they are to `rows` [16][dim]; either may be
// null.
void fill(const Plan& plan, const float* matrix, int64_t stride, int64_t dim, float* transposed, float* rows) {
  const float* in[16];
  for (int64_t i = 0; i < plan.count; ++i) in[i] = matrix + plan.rows[i] * stride;
  if (transposed) transpose_page(in, plan.count, dim, transposed);
  for (int64_t i = 0; rows && i < plan.count; ++i) std::copy_n(in[i], dim, rows + i * dim);
}

}  // namespace

void add_key(const float* row, int64_t dim, int64_t slot, uint32_t* keys) {
  for (int64_t d = 0; d < dim; d += 2) keys[d / 2 * 16 + slot] = upper(row[d]) >> 16 | upper(row[d + 1]);
}

void add_value(const float* row, int64_t dim, int64_t slot, uint32_t* values) {
  uint32_t* words = values + slot / 2 * dim;
  if (slot % 2 == 0) {
    for (int64_t d = 0; d < dim; ++d) words[d] = upper(row[d]) >> 16;
  } else {
    for (int64_t d = 0; d < dim; ++d) words[d] = (words[d] & 0xffff) | upper(row[d]);
  }
}

namespace {

// Fills a page of bfloat16 pairs.
void fill_words(const Plan& plan, const float* k, const float* v, int64_t stride, int64_t dim, float* keys,
                float* values) {
  auto *key_words = reinterpret_cast<uint32_t*>(keys), *value_words = reinterpret_cast<uint32_t*>(values);
  if (plan.count < 16) std::fill_n(key_words, dim / 2 * 16, 0u);
  for (int64_t i = 0; i < plan.count; ++i) {
    add_key(k + plan.rows[i] * stride, dim, i, key_words);
    add_value(v + plan.rows[i] * stride, dim, i, value_words);
  }
}

void round(float* numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i) numbers[i] = Bfloat16::nearest(numbers[i]).widened();
}

}  // namespace

ContextPages::ContextPages(const float* k, const float* v, const std::vector<Context>& contexts, Heads heads,
                           bool mirrored) {
  std::vector<Plan> plans;
  std::vector<int64_t> ids;  // page numbers of all contexts' lists, one after another
  // Last row of a full page -> page. A row determines all positions before it, so contexts can share the page.
  std::unordered_map<int64_t, int64_t> full_of;
  for (const Context& context : contexts) {
    const auto length = static_cast<int64_t>(context.row_of.size());
    start_.push_back(static_cast<int64_t>(ids.size()));
    for (int64_t first = 0; first < length; first += 16) {
      const Plan plan{context.row_of.data() + first, std::min<int64_t>(16, length - first)};
      const auto next = static_cast<int64_t>(plans.size());
      const int64_t id = plan.count < 16 ? next : full_of.try_emplace(plan.rows[15], next).first->second;
      if (id == next) plans.push_back(plan);
      ids.push_back(id);
    }
  }
  per_head_ = static_cast<int64_t>(ids.size());

  const auto count = static_cast<int64_t>(plans.size());
  const bool words = heads.pairs && !mirrored;
  const int64_t page = (words ? 8 : 16) * heads.dim, size = (mirrored ? 4 : 2) * page;
  data_.reset(new float[static_cast<size_t>(heads.key * count * size)]);
  for (int64_t head = 0; head < heads.key; ++head) {
    for (const int64_t id : ids) {
      const float* base = data_.get() + (head * count + id) * size;
      pages_.push_back({base, base + page});
      if (mirrored) mirrors_.push_back({base + 2 * page, base + 3 * page});
    }
  }
  constexpr int64_t part_length = 8;  // pages per unit of work
  const int64_t parts = (count + part_length - 1) / part_length;
  parallel_for(heads.key * parts, [&](int64_t task) {
    const int64_t head = task / parts, from = task % parts * part_length;
    for (int64_t id = from; id < std::min(count, from + part_length); ++id) {
      float* base = data_.get() + (head * count + id) * size;
      const Plan& plan = plans[static_cast<size_t>(id)];
      if (words) {
        fill_words(plan, k + head * heads.dim, v + head * heads.dim, heads.key_width(), heads.dim, base, base + page);
        continue;
      }
      fill(plan, k + head * heads.dim, heads.key_width(), heads.dim, base, mirrored ? base + 3 * page : nullptr);
      fill(plan, v + head * heads.dim, heads.key_width(), heads.dim, mirrored ? base + 2 * page : nullptr, base + page);
      if (heads.pairs) round(base, size);
    }
  });
}

}  // namespace compeer::kernels
#endif
