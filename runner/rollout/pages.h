#pragma once
#include <cstdint>
#include <vector>

#include "compeer/model.h"

namespace compeer::rollout {

/// Memory for keys and values in pages of 16 positions, handed out as they are needed and taken back when their last
/// holder gives them up. It grows layer by layer; what was never written to takes no memory.
class Pages {
 public:
  /// On `device`, where the model computes.
  explicit Pages(const ModelShape& shape, at::Device device = at::kCPU) : shape_(shape), device_(device) {}

  int32_t take();  ///< a page with one holder
  void hold(int32_t page) { ++holders_[static_cast<size_t>(page)]; }
  void give_back(int32_t page);
  bool shared(int32_t page) const { return holders_[static_cast<size_t>(page)] > 1; }
  /// Copies what `from` holds to `to`, in every layer.
  void copy(int32_t from, int32_t to);

  /// The first page that a token at `position` and those behind it see.
  size_t first_seen(int64_t position) const;

  Cache& cache() { return cache_; }
  int64_t in_use() const { return static_cast<int64_t>(holders_.size() - free_.size()); }

 private:
  void grow();

  const ModelShape shape_;
  const at::Device device_;
  Cache cache_;
  std::vector<int32_t> free_;      // the lowest last
  std::vector<uint32_t> holders_;  // of every page
};

/// What a model has read of one sequence: the pages with the keys and values of its first `length` tokens, but for
/// those that its window has passed (-1). Copies share them; a half-filled page that others hold too is copied before
/// it is written to. Pages must outlive it.
class KvCache {
 public:
  explicit KvCache(Pages& pages) : owner_(&pages) {}
  KvCache(const KvCache& other);
  KvCache(KvCache&& other) noexcept;
  KvCache& operator=(KvCache other) noexcept;
  ~KvCache() { cut(0); }

  int64_t length() const { return length_; }
  const std::vector<int32_t>& pages() const { return pages_; }
  /// Makes room for `count` more tokens, which the next forward pass must write.
  void extend(int64_t count);
  /// Forgets all but the first `length` tokens; all tokens, if a window has passed what the next one sees.
  void cut(int64_t length);

 private:
  void give_back(size_t page);

  Pages* owner_;
  std::vector<int32_t> pages_;
  int64_t length_ = 0;
};

}  // namespace compeer::rollout
