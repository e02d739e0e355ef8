#include "kernels/attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/gemm.h"

#ifndef COMPEER_KERNELS_ATTENTION_SIDE
#define COMPEER_KERNELS_ATTENTION_SIDE
namespace compeer::kernels {
// Keys and values of one head: transposed [dim][stride] and as rows [positions][dim], with their gradients.
struct Side {
  const float *keys_t, *values_t, *keys;
  float *dkeys, *dvalues;
  int64_t stride;
};
}  // namespace compeer::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

// scores of 16 positions: a chain over the head's dimensions, one lane a position.
HWY_INLINE void score_page(const float* q, const float* keys, int64_t dim, float scale, float* scores) {
  const Tag tag;
  Vector sum[kParts];
  for (int p = 0; p < kParts; ++p) sum[p] = hn::Zero(tag);
  for (int64_t i = 0; i < dim; ++i, keys += 16) {
    const Vector x = hn::Set(tag, q[i]);
    for (int p = 0; p < kParts; ++p) sum[p] = hn::MulAdd(x, hn::LoadU(tag, keys + p * kLanes), sum[p]);
  }
  const Vector factor = hn::Set(tag, scale);
  for (int p = 0; p < kParts; ++p) hn::StoreU(hn::Mul(sum[p], factor), tag, scores + p * kLanes);
}

// One query head against pages; `p` is room for 16 * pages floats.
void attend_head(const float* q, const Page* pages, int64_t count, int64_t dim, float* p, float* out, float* sums) {
  const Tag tag;
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  const int64_t padded = (count + 15) / 16 * 16;
  for (int64_t j = 0; j < padded; j += 16) score_page(q, pages[j / 16].keys, dim, scale, p + j);
  for (int64_t j = count; j < padded; ++j) p[j] = -INFINITY;
  Vector top = hn::LoadU(tag, p);
  for (int64_t j = kLanes; j < padded; j += kLanes) top = hn::Max(top, hn::LoadU(tag, p + j));
  const float max = hn::GetLane(hn::MaxOfLanes(tag, top));
  Vector sum[kParts];
  for (int i = 0; i < kParts; ++i) sum[i] = hn::Zero(tag);
  for (int64_t j = 0; j < padded; j += 16) {
    for (int i = 0; i < kParts; ++i) {
      const Vector e = exponential(hn::Sub(hn::LoadU(tag, p + j + i * kLanes), hn::Set(tag, max)));
      hn::StoreU(e, tag, p + j + i * kLanes);
      sum[i] = hn::Add(sum[i], e);
    }
  }
  float lanes[16];
  for (int i = 0; i < kParts; ++i) hn::StoreU(sum[i], tag, lanes + i * kLanes);
  const float total = tree(lanes);
  each(dim, [&](int64_t d, size_t n) {
    Vector o = hn::Zero(tag);
    for (int64_t j = 0; j < count; ++j)
      o = hn::MulAdd(hn::Set(tag, p[j]), load(pages[j / 16].values + (j % 16) * dim + d, n), o);
    store(hn::Div(o, hn::Set(tag, total)), out + d, n);
  });
  if (sums) sums[0] = max, sums[1] = total;
}

// One query head's way back over `count` positions:
//   p_j = exp(score_j - max) / sum,  dp_j = dout . v_j,  ds_j = p_j (dp_j - dout . out) scale
//   dq = sum ds_j k_j,  dk_j += ds_j q,  dv_j += p_j dout
void attend_head_backward(const float* dout, const float* q, const float* out, const float* sums, const Side& side,
                          int64_t count, int64_t dim, float* p, float* ds, float* dq) {
  const Tag tag;
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  const Vector max = hn::Set(tag, sums[0]), inverse = hn::Set(tag, 1.0f / sums[1]);
  const Vector along = hn::Set(tag, lane_dot(dout, out, dim)), factor = hn::Set(tag, scale);
  for (int64_t j = 0; j < count; j += kLanes) {  // padded columns are zeros: harmless, and never read below
    Vector s = hn::Zero(tag), dp = hn::Zero(tag);
    for (int64_t d = 0; d < dim; ++d) {
      s = hn::MulAdd(hn::Set(tag, q[d]), hn::LoadU(tag, side.keys_t + d * side.stride + j), s);
      dp = hn::MulAdd(hn::Set(tag, dout[d]), hn::LoadU(tag, side.values_t + d * side.stride + j), dp);
    }
    const Vector probability = hn::Mul(exponential(hn::Sub(hn::Mul(s, factor), max)), inverse);
    hn::StoreU(probability, tag, p + j);
    hn::StoreU(hn::Mul(hn::Mul(probability, hn::Sub(dp, along)), factor), tag, ds + j);
  }
  each(dim, [&](int64_t d, size_t n) {
    const Vector query = load(q + d, n), gradient = load(dout + d, n);
    Vector sum = hn::Zero(tag);
    for (int64_t j = 0; j < count; ++j) {
      const Vector weight = hn::Set(tag, ds[j]);
      sum = hn::MulAdd(weight, load(side.keys + j * dim + d, n), sum);
      store(hn::MulAdd(weight, query, load(side.dkeys + j * dim + d, n)), side.dkeys + j * dim + d, n);
      store(hn::MulAdd(hn::Set(tag, p[j]), gradient, load(side.dvalues + j * dim + d, n)), side.dvalues + j * dim + d,
            n);
    }
    store(sum, dq + d, n);
  });
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(attend_head);
HWY_EXPORT(attend_head_backward);

namespace {

int64_t pages_for(int64_t positions) { return (positions + 15) / 16; }

// The keys and values of one head, gathered into pages of their own.
class Gathered {
 public:
  Gathered(const float* k, const float* v, const Context& context, Heads heads, int64_t head)
      : data_(static_cast<size_t>(pages_for(static_cast<int64_t>(context.row_of.size())) * 32 * heads.dim)) {
    const int64_t dim = heads.dim, positions = static_cast<int64_t>(context.row_of.size());
    for (int64_t i = 0; i < pages_for(positions); ++i) {
      pages_.push_back({data_.data() + i * 32 * dim, data_.data() + i * 32 * dim + 16 * dim});
    }
    for (int64_t j = 0; j < positions; ++j) {
      const int64_t offset = context.row_of[static_cast<size_t>(j)] * heads.key_width() + head * dim;
      float* page = data_.data() + j / 16 * 32 * dim;
      for (int64_t d = 0; d < dim; ++d) page[d * 16 + j % 16] = k[offset + d];
      std::copy(v + offset, v + offset + dim, page + 16 * dim + (j % 16) * dim);
    }
  }
  const std::vector<Page>& pages() const { return pages_; }

 private:
  std::vector<float> data_;
  std::vector<Page> pages_;
};

// Room for a row's probabilities, kept between calls.
float* scratch(size_t floats) {
  thread_local std::vector<float> memory;
  if (memory.size() < floats) memory.resize(floats);
  return memory.data();
}

}  // namespace

void attend(const float* q, const std::vector<Page>& pages, int64_t count, Heads heads, int64_t head, float* out,
            float* sums) {
  const int64_t share = heads.query / heads.key;
  float* p = scratch(static_cast<size_t>(pages_for(count) * 16));
  for (int64_t h = head * share; h < (head + 1) * share; ++h) {
    HWY_DYNAMIC_DISPATCH(attend_head)
    (q + h * heads.dim, pages.data(), count, heads.dim, p, out + h * heads.dim, sums ? sums + 2 * h : nullptr);
  }
}

void attend_context(const float* q, const float* k, const float* v, const Context& context, Heads heads, float* out,
                    float* sums) {
  const int parts = context.rows < 16 ? 1 : threads();
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int64_t head = 0; head < heads.key; ++head) {
    const Gathered gathered(k, v, context, heads, head);
    for (int64_t i = 0; i < context.rows; ++i) {
      const int64_t row = context.query_row + i;
      attend(q + row * heads.query_width(), gathered.pages(), context.first + i + 1, heads, head,
             out + row * heads.query_width(), sums ? sums + row * heads.query * 2 : nullptr);
    }
  }
}

std::vector<Context> contexts(const std::vector<Segment>& segments) {
  std::vector<Context> all;
  for (const Segment& s : segments) {
    Context context{{}, s.position, s.start, s.length};
    if (s.parent >= 0) context.row_of = all[static_cast<size_t>(s.parent)].row_of;
    for (int64_t i = 0; i < s.length; ++i) context.row_of.push_back(s.start + i);
    TORCH_CHECK(static_cast<int64_t>(context.row_of.size()) == s.position + s.length,
                "a segment must continue its parent: position ", s.position, " does not");
    all.push_back(std::move(context));
  }
  return all;
}

void attend_span(const float* q, const float* k, const float* v, Span span, Heads heads, float* out) {
  Context context;
  for (int64_t row = span.start; row < span.end; ++row) context.row_of.push_back(row);
  for (int64_t head = 0; head < heads.key; ++head) {
    const Gathered gathered(k, v, context, heads, head);
    for (int64_t row = span.start; row < span.end; ++row) {
      const int64_t at = row * heads.query_width();
      attend(q + at, gathered.pages(), span.end - span.start, heads, head, out + at, nullptr);
    }
  }
}

void attend_context_backward(const float* dout, const float* q, const float* k, const float* v, const float* out,
                             const float* sums, const Context& context, Heads heads, float* dq, float* dk, float* dv) {
  const int64_t dim = heads.dim, share = heads.query / heads.key;
  const int64_t positions = static_cast<int64_t>(context.row_of.size()), stride = pages_for(positions) * 16;
  const int parts = context.rows < 16 ? 1 : threads();
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int64_t head = 0; head < heads.key; ++head) {
    const auto n = static_cast<size_t>(stride * dim);
    std::vector<float> keys_t(n), values_t(n), keys(n), dkeys(n), dvalues(n);
    for (int64_t j = 0; j < positions; ++j) {
      const int64_t offset = context.row_of[static_cast<size_t>(j)] * heads.key_width() + head * dim;
      for (int64_t d = 0; d < dim; ++d) {
        keys_t[static_cast<size_t>(d * stride + j)] = keys[static_cast<size_t>(j * dim + d)] = k[offset + d];
        values_t[static_cast<size_t>(d * stride + j)] = v[offset + d];
      }
    }
    const Side side{keys_t.data(), values_t.data(), keys.data(), dkeys.data(), dvalues.data(), stride};
    float* p = scratch(static_cast<size_t>(2 * stride));
    for (int64_t i = 0; i < context.rows; ++i) {
      const int64_t row = context.query_row + i;
      for (int64_t h = head * share; h < (head + 1) * share; ++h) {
        const int64_t at = row * heads.query_width() + h * dim;
        HWY_DYNAMIC_DISPATCH(attend_head_backward)
        (dout + at, q + at, out + at, sums + (row * heads.query + h) * 2, side, context.first + i + 1, dim, p,
         p + stride, dq + at);
      }
    }
    for (int64_t j = 0; j < positions; ++j) {
      const int64_t offset = context.row_of[static_cast<size_t>(j)] * heads.key_width() + head * dim;
      for (int64_t d = 0; d < dim; ++d) {
        dk[offset + d] += dkeys[static_cast<size_t>(j * dim + d)];
        dv[offset + d] += dvalues[static_cast<size_t>(j * dim + d)];
      }
    }
  }
}

}  // namespace compeer::kernels
#endif
