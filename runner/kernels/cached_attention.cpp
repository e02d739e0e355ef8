#include <ATen/ops/empty_like.h>

#include "kernels/functions.h"

namespace compeer::kernels {

namespace {

void store(const at::Tensor& k, const at::Tensor& v, const Segment& segment, Heads heads, float* keys, float* values) {
  const int64_t page_size = 16 * heads.dim;
  for (int64_t i = 0; i < segment.length; ++i) {
    const int64_t position = segment.position + i, slot = position % 16;
    const int64_t page = segment.pages.at(static_cast<size_t>(position / 16));
    const float* key = k.const_data_ptr<float>() + (segment.start + i) * heads.key_width();
    const float* value = v.const_data_ptr<float>() + (segment.start + i) * heads.key_width();
    for (int64_t h = 0; h < heads.key; ++h) {
      const int64_t base = (page * heads.key + h) * page_size;
      for (int64_t d = 0; d < heads.dim; ++d) keys[base + d * 16 + slot] = key[h * heads.dim + d];
      std::copy_n(value + h * heads.dim, heads.dim, values + base + slot * heads.dim);
    }
  }
}

}  // namespace

void store(const at::Tensor& k, const at::Tensor& v, const std::vector<Segment>& segments, Heads heads, Cache& cache,
           int64_t layer) {
  float* keys = cache.keys[static_cast<size_t>(layer)].mutable_data_ptr<float>();
  float* values = cache.values[static_cast<size_t>(layer)].mutable_data_ptr<float>();
  for (const Segment& segment : segments) store(k, v, segment, heads, keys, values);
}

at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const std::vector<Segment>& segments, Heads heads, Cache& cache, int64_t layer) {
  auto y = at::empty_like(q);
  float* keys = cache.keys[static_cast<size_t>(layer)].mutable_data_ptr<float>();
  float* values = cache.values[static_cast<size_t>(layer)].mutable_data_ptr<float>();
  const float* query = q.const_data_ptr<float>();
  float* result = y.mutable_data_ptr<float>();
  store(k, v, segments, heads, cache, layer);

  const auto count = static_cast<int64_t>(segments.size());
#pragma omp parallel for num_threads(threads()) schedule(dynamic)
  for (int64_t s = 0; s < count; ++s) {
    const Segment& segment = segments[static_cast<size_t>(s)];
    for (int64_t h = 0; h < heads.key; ++h) {
      std::vector<Page> pages;
      for (const int32_t page : segment.pages) {
        const int64_t base = (page * heads.key + h) * 16 * heads.dim;
        pages.push_back({keys + base, values + base});
      }
      for (int64_t i = 0; i < segment.length; ++i) {
        const int64_t at = (segment.start + i) * heads.query_width();
        attend(query + at, pages, segment.position + i + 1, heads, h, result + at, nullptr);
      }
    }
  }
  return y;
}

}  // namespace compeer::kernels
