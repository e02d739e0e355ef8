#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compeer/model.h"

namespace compeer::rollout {

/// Pool of reference-counted KV-cache pages of 16 positions each. It grows on demand, reallocating one layer at a time,
/// and never shrinks. With the exact kernels, pages that were never written take no physical memory.
class Pages {
 public:
  /// Allocates on `device`, which must be the model's.
  explicit Pages(const ModelShape& shape, at::Device device = at::kCPU) : shape_(shape), device_(device) {}

  int32_t allocate();  ///< allocates a page with a reference count of 1
  /// Increments the page's reference count.
  void add_ref(int32_t page) { ++holders_[static_cast<size_t>(page)]; }
  /// Decrements the page's reference count; frees the page at 0.
  void release(int32_t page);
  /// True if the reference count is more than 1.
  bool shared(int32_t page) const { return holders_[static_cast<size_t>(page)] > 1; }
  /// Copies the keys and values of page `from` to page `to`, in every layer.
  void copy(int32_t from, int32_t to);

  /// Returns the index, among a sequence's pages, of the first page that tokens at `position` and later attend to: 0
  /// unless the model has an attention window.
  size_t first_seen(int64_t position) const;

  /// The keys and values of all pages, as models receive them.
  Cache& cache() { return cache_; }
  /// Number of pages allocated and not freed.
  int64_t in_use() const { return static_cast<int64_t>(holders_.size() - free_.size()); }

 private:
  void grow();  // adds free pages

  const ModelShape shape_;
  const at::Device device_;
  Cache cache_;
  std::vector<int32_t> free_;      // free pages; after growth the lowest is last and is taken first
  std::vector<uint32_t> holders_;  // reference count of every page
};

/// The pages with the keys and values of one sequence's first `length` tokens. Copies share pages; a partly filled page
/// that is shared is copied before it is written. The Pages object must outlive it.
class KvCache {
 public:
  explicit KvCache(Pages& pages) : owner_(&pages) {}
  KvCache(const KvCache& other);
  KvCache(KvCache&& other) noexcept;
  KvCache& operator=(KvCache other) noexcept;
  ~KvCache() { truncate(0); }

  int64_t length() const { return length_; }
  /// Page i holds positions [16 i, 16 i + 16); -1 if it was freed because no later token attends to it (window).
  const std::vector<int32_t>& pages() const { return pages_; }
  /// Allocates space for `count` more tokens. The next forward pass must write their keys and values.
  void extend(int64_t count);
  /// Drops all but the first `length` tokens; all tokens if a page that the next token attends to was already freed.
  void truncate(int64_t length);

 private:
  void release(size_t page);  // `page`: index into `pages_`

  Pages* owner_;
  std::vector<int32_t> pages_;
  int64_t length_ = 0;
};

/// A token sequence with its KV cache, so that continuing it costs only the new tokens. Copies share the pages of their
/// common prefix. Results are bitwise those of one computation of the whole sequence (exact kernels), however it was
/// split into passes. The engine that created it must outlive it.
class CachedSequence {
 public:
  /// `adapter`: the LoRA adapter that the tokens are read with (`Segment::adapter`).
  explicit CachedSequence(Pages& pages, int32_t adapter = 0) : context_(pages), adapter_(adapter) {}

  /// All tokens of the sequence, including the unread ones at its end, which the next passes compute.
  const std::vector<int32_t>& tokens() const { return tokens_; }
  /// Rotary position of the token that would follow; the argument `first` of `VisionModel::encode`.
  int64_t next_position() const { return size() + shift(size()); }
  int32_t adapter() const { return adapter_; }
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }

  /// Appends unread tokens. `vision`: features of the images among them; null: no images.
  void append(std::span<const int32_t> tokens, std::shared_ptr<const VisionFeatures> vision = nullptr);
  /// Drops all but the first `count` tokens and returns how many are left: fewer if the cut falls into tokens that were
  /// appended with images, which are dropped as a whole. `state`: hidden state [hidden] of token count - 1, if known;
  /// without it that token becomes unread again.
  int64_t truncate(int64_t count, std::span<const float> state = {});

  // The members below are for the engine.

  /// Number of tokens that are not in the KV cache yet.
  int64_t unread() const { return size() - context_.length(); }
  /// Returns how many unread tokens the next segment may take if `most` rows are free. Tokens that were appended with
  /// images form one segment, even if it is longer than `most`.
  int64_t chunk_size(int64_t most) const;
  /// Allocates cache for the next `count` unread tokens and returns their segment, which begins at row `row` of the
  /// pass.
  Segment read(int64_t count, int64_t row);
  /// Hidden state [hidden] of the last token that was read, from which the next one is sampled. The caller of the
  /// forward pass must set it; empty before that.
  std::vector<float>& last_hidden() { return last_hidden_; }

 private:
  // Tokens [start, end), appended with images.
  struct ImageSpan {
    int64_t start, end;
    std::shared_ptr<const VisionFeatures> vision;
  };
  // Returns the difference of rotary position and index for the token at an index: images take fewer rotary positions
  // than tokens.
  int64_t shift(int64_t position) const;
  // Returns the first image span that begins at this index or later; null if there is none.
  const ImageSpan* image_span_from(int64_t position) const;

  KvCache context_;
  int32_t adapter_;
  std::vector<int32_t> tokens_;
  std::vector<ImageSpan> image_spans_;  // ascending
  std::vector<float> last_hidden_;
};

}  // namespace compeer::rollout
