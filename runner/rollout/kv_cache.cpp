// Pages of the KV cache, and sequences that share them copy-on-write.
#include "rollout/kv_cache.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace compeer::rollout {

namespace {

size_t bytes_of_page(const at::Tensor& tensor) { return static_cast<size_t>(tensor.stride(0)) * tensor.element_size(); }
std::byte* page_of(at::Tensor& tensor, int32_t page) {
  return static_cast<std::byte*>(tensor.mutable_data_ptr()) + static_cast<size_t>(page) * bytes_of_page(tensor);
}

// The new part stays uninitialized, so that pages that are never written take no physical memory.
void enlarge(at::Tensor& tensor, at::IntArrayRef sizes, at::TensorOptions options) {
  at::Tensor larger = at::empty(sizes, options);
  if (tensor.defined()) std::memcpy(larger.mutable_data_ptr(), tensor.const_data_ptr(), tensor.nbytes());
  tensor = std::move(larger);
}

// For libtorch, which stores and gathers rows of one position: the memory is [pages, 16, heads, dim], permuted by
// `order` to the shape of `Cache`.
void enlarge_rows(at::Tensor& tensor, at::IntArrayRef rows, at::IntArrayRef order, at::TensorOptions options) {
  at::Tensor larger = at::zeros(rows, options).permute(order);
  if (tensor.defined()) larger.narrow(0, 0, tensor.size(0)).copy_(tensor);
  tensor = std::move(larger);
}

}  // namespace

int32_t Pages::allocate() {
  if (free_.empty()) grow();
  const int32_t page = free_.back();
  free_.pop_back();
  holders_[static_cast<size_t>(page)] = 1;
  return page;
}

void Pages::release(int32_t page) {
  if (--holders_[static_cast<size_t>(page)] == 0) free_.push_back(page);
}

void Pages::grow() {
  const auto before = static_cast<int64_t>(holders_.size());
  const int64_t count = before + std::max<int64_t>(64, before / 2);
  cache_.keys.resize(static_cast<size_t>(shape_.layers));
  cache_.values.resize(static_cast<size_t>(shape_.layers));
  const auto options = at::TensorOptions(device_).dtype(shape_.compute);
  const int64_t heads = shape_.kv_heads, dim = shape_.head_dim;
  for (auto& keys : cache_.keys) {
    shape_.exact ? enlarge(keys, {count, heads, dim, Cache::page}, options)
                 : enlarge_rows(keys, {count, Cache::page, heads, dim}, {0, 2, 3, 1}, options);
  }
  for (auto& values : cache_.values) {
    shape_.exact ? enlarge(values, {count, heads, Cache::page, dim}, options)
                 : enlarge_rows(values, {count, Cache::page, heads, dim}, {0, 2, 1, 3}, options);
  }
  holders_.resize(static_cast<size_t>(count));
  for (int64_t page = count; page-- > before;) free_.push_back(static_cast<int32_t>(page));
}

size_t Pages::first_attended(int64_t position) const {
  if (shape_.window == 0) return 0;
  return static_cast<size_t>(std::max<int64_t>(0, position + 1 - shape_.window) / Cache::page);
}

void Pages::copy(int32_t from, int32_t to) {
  for (auto* tensors : {&cache_.keys, &cache_.values}) {
    for (at::Tensor& tensor : *tensors) {
      if (device_.is_cpu()) {
        std::memcpy(page_of(tensor, to), page_of(tensor, from), bytes_of_page(tensor));
      } else {
        tensor.select(0, to).copy_(tensor.select(0, from));
      }
    }
  }
}

KvCache::KvCache(const KvCache& other) : owner_(other.owner_), pages_(other.pages_), length_(other.length_) {
  for (const int32_t page : pages_) {
    if (page >= 0) owner_->add_ref(page);
  }
}

KvCache::KvCache(KvCache&& other) noexcept
    : owner_(other.owner_), pages_(std::exchange(other.pages_, {})), length_(std::exchange(other.length_, 0)) {}

KvCache& KvCache::operator=(KvCache other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(pages_, other.pages_);
  std::swap(length_, other.length_);
  return *this;
}

void KvCache::release(size_t page) {
  if (pages_[page] >= 0) owner_->release(std::exchange(pages_[page], -1));
}

void KvCache::extend(int64_t count) {
  for (size_t page = owner_->first_attended(length_); page-- > 0 && pages_[page] >= 0;) release(page);
  if (length_ % Cache::page != 0 && owner_->shared(pages_.back())) {
    const int32_t own = owner_->allocate();
    owner_->copy(pages_.back(), own);
    owner_->release(std::exchange(pages_.back(), own));
  }
  length_ += count;
  while (static_cast<int64_t>(pages_.size()) * Cache::page < length_) pages_.push_back(owner_->allocate());
}

void KvCache::truncate(int64_t length) {
  const size_t first = owner_->first_attended(length);
  if (length < length_ && first < pages_.size() && pages_[first] < 0) length = 0;
  const auto needed = static_cast<size_t>((length + Cache::page - 1) / Cache::page);
  for (; pages_.size() > needed; pages_.pop_back()) release(pages_.size() - 1);
  length_ = std::min(length_, length);
}

void CachedSequence::append(std::span<const int32_t> tokens, std::shared_ptr<const VisionFeatures> vision) {
  const int64_t start = size();
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  if (vision) image_spans_.push_back({start, size(), std::move(vision)});
}

int64_t CachedSequence::truncate(int64_t count, std::span<const float> state) {
  count = std::min(count, size());
  const int64_t wanted = count;
  while (!image_spans_.empty() && image_spans_.back().end > count) {
    count = std::min(count, image_spans_.back().start);
    image_spans_.pop_back();
  }
  tokens_.resize(static_cast<size_t>(count));
  if (!state.empty() && count == wanted && count <= context_.length()) {
    context_.truncate(count);
    last_hidden_.assign(state.begin(), state.end());
    return count;
  }
  // The last token that is left is read again, for the hidden state from which the next one is sampled.
  const int64_t again =
      !image_spans_.empty() && image_spans_.back().end == count ? image_spans_.back().start : count - 1;
  if (count < context_.length()) context_.truncate(std::max<int64_t>(again, 0));
  return count;
}

int64_t CachedSequence::chunk_size(int64_t most) const {
  const int64_t from = context_.length();
  if (const ImageSpan* run = image_span_from(from))
    return run->start == from ? run->end - from : std::min(most, run->start - from);
  return std::min(most, unread());
}

Segment CachedSequence::read(int64_t count, int64_t row) {
  const int64_t from = context_.length();
  const ImageSpan* run = image_span_from(from);
  context_.extend(count);
  return {
      row,     count, from, -1, context_.pages(), rope_offset(from), run && run->start == from ? run->vision : nullptr,
      adapter_};
}

// Rotary minus absolute position of a token at `position`, which follows from the last images that end before it.
int64_t CachedSequence::rope_offset(int64_t position) const {
  int64_t result = 0;
  for (const ImageSpan& run : image_spans_) {
    if (run.end <= position) result = run.vision->next - run.end;
  }
  return result;
}

// The first tokens with images that start at `position` or later; null: none.
const CachedSequence::ImageSpan* CachedSequence::image_span_from(int64_t position) const {
  for (const ImageSpan& run : image_spans_) {
    if (run.start >= position) return &run;
  }
  return nullptr;
}

}  // namespace compeer::rollout
