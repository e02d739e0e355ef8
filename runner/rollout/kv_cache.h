#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compeer/model.h"

// The paged KV cache of the inference engine: a pool of pages, the pages of one sequence (shared copy-on-write), and
// token sequences that keep their pages between calls. A page holds keys and values of 16 consecutive positions of one
// sequence, in every layer. Unread tokens are those at the end of a sequence that are not in the cache yet; a forward
// pass reads them.

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
  /// unless the model has sliding-window attention.
  size_t first_attended(int64_t position) const;

  /// The tensors with all keys and values, the argument of `Model::forward`.
  Cache& cache() { return cache_; }
  /// Number of pages allocated and not freed.
  int64_t in_use() const { return static_cast<int64_t>(holders_.size() - free_.size()); }

 private:
  void grow();  // enlarges the tensors by half, by 64 pages at least

  const ModelShape shape_;
  const at::Device device_;
  Cache cache_;                    // keys and values of all pages, free ones included
  std::vector<int32_t> free_;      // free pages; after growth the lowest is last and is taken first
  std::vector<uint32_t> holders_;  // reference count of every page
};

/// The pages with the keys and values of one sequence's first `length` tokens. Copies share pages; a partly filled page
/// that is shared is copied before it is written. The Pages object must outlive it.
class KvCache {
 public:
  /// An empty sequence.
  explicit KvCache(Pages& pages) : owner_(&pages) {}
  KvCache(const KvCache& other);
  KvCache(KvCache&& other) noexcept;
  KvCache& operator=(KvCache other) noexcept;
  ~KvCache() { truncate(0); }

  /// Number of tokens with space in the cache.
  int64_t length() const { return length_; }
  /// Returns indices of pages in the pool. Page i holds positions [16 i, 16 i + 16); -1 if it was freed because no
  /// later token attends to it (sliding-window attention).
  const std::vector<int32_t>& pages() const { return pages_; }
  /// Allocates space for `count` more tokens. The next forward pass must write their keys and values.
  void extend(int64_t count);
  /// Drops all but the first `length` tokens; all tokens if a page that the next token attends to was already freed.
  void truncate(int64_t length);

 private:
  void release(size_t page);  // gives up pages_[page] and sets it to -1; does nothing if it is -1

  Pages* owner_;                // the pool, never null
  std::vector<int32_t> pages_;  // result of pages()
  int64_t length_ = 0;          // result of length(), in tokens
};

/// A token sequence with its KV cache, such as a dialogue, so that continuing it costs only the new tokens. Copies
/// share the pages of their common prefix. With the exact kernels, results are bitwise those of one computation of the
/// whole sequence, independent of its division into passes. The engine that created it must outlive it.
class CachedSequence {
 public:
  /// An empty sequence. `adapter`: index of the LoRA adapter that the model uses for its tokens (`Segment::adapter`);
  /// 0: the model as opened.
  explicit CachedSequence(Pages& pages, int32_t adapter = 0) : context_(pages), adapter_(adapter) {}

  /// All tokens of the sequence, including the unread ones at its end, which the next passes compute.
  const std::vector<int32_t>& tokens() const { return tokens_; }
  /// Rotary position (RoPE) of the token that would follow: the argument `first` of `VisionModel::encode`. Less than
  /// size() after images.
  int64_t next_position() const { return size() + rope_offset(size()); }
  /// Index of the LoRA adapter; 0: none.
  int32_t adapter() const { return adapter_; }
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }

  /// Appends unread tokens. `vision`: features of the images among them; null: no images. Tokens appended with images
  /// are read in one piece.
  void append(std::span<const int32_t> tokens, std::shared_ptr<const VisionFeatures> vision = nullptr);
  /// Drops all but the first `count` tokens and returns how many are left: fewer if the cut falls into tokens that were
  /// appended with images, which are dropped as a whole. `state`: hidden state [hidden] of token count - 1; empty:
  /// unknown, so that token becomes unread again.
  int64_t truncate(int64_t count, std::span<const float> state = {});

  // The members below are for the engine's forward passes.

  /// Number of tokens that are not in the KV cache yet.
  int64_t unread() const { return size() - context_.length(); }
  /// Returns how many unread tokens the next segment (part of a forward pass) takes if `most` rows are free. Tokens
  /// that were appended with images form one segment, even if it is longer than `most`.
  int64_t chunk_size(int64_t most) const;
  /// Allocates cache for the next `count` unread tokens and returns their segment, which begins at row `row` of the
  /// pass.
  Segment read(int64_t count, int64_t row);
  /// Hidden state [hidden] of the last token that was read, from which the next one is sampled. The code that runs the
  /// forward pass must set it; empty before that.
  std::vector<float>& last_hidden() { return last_hidden_; }

 private:
  // Tokens [start, end), which one call of `append` appended with images.
  struct ImageSpan {
    int64_t start, end;
    std::shared_ptr<const VisionFeatures> vision;  // features of these images
  };
  // Returns rotary minus absolute position of a token at `position`.
  int64_t rope_offset(int64_t position) const;
  // Returns the first span that starts at `position` or later; null: none.
  const ImageSpan* image_span_from(int64_t position) const;

  KvCache context_;                     // keys and values of the tokens read so far
  int32_t adapter_;                     // index of the LoRA adapter; 0: none
  std::vector<int32_t> tokens_;         // all tokens, read and unread
  std::vector<ImageSpan> image_spans_;  // ascending
  std::vector<float> last_hidden_;      // result of last_hidden()
};

}  // namespace compeer::rollout
