#pragma once
#include <cstdint>
#include <memory>
#include <span>
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

/// A sequence of tokens that stays in the engine's pages, so that going on costs the new tokens only. A copy is another
/// sequence with the same past and shares its pages: copy the common beginning, then let each copy go its own way.
/// Whatever was read in whatever portions, the bits are those of one fresh computation.
/// The engine that made it must outlive it.
class CachedSequence {
 public:
  /// `adapter`: which of the model's adapters reads it (`Segment::adapter`).
  explicit CachedSequence(Pages& pages, int32_t adapter = 0) : context_(pages), adapter_(adapter) {}

  /// All tokens: read, said, and those yet to be read by the next pass.
  const std::vector<int32_t>& tokens() const { return tokens_; }
  /// The rotary position of the token that would follow: where `Model::look` begins.
  int64_t next_position() const { return size() + shift(size()); }
  int32_t adapter() const { return adapter_; }
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }

  void append(std::span<const int32_t> tokens, std::shared_ptr<const VisionFeatures> vision = nullptr);
  /// Forgets all but the first `count` tokens. Tokens with pictures among them go together: if they would be parted,
  /// all of them are forgotten. Returns how many tokens are left. `state` is the hidden state of the last of these, if
  /// it is known: then that token is not read again.
  int64_t keep(int64_t count, std::span<const float> state = {});

  /// What follows is for the engine.
  int64_t unread() const { return size() - context_.length(); }
  /// How many unread tokens the next pass may take if `most` fit: a run with pictures is taken whole, alone.
  int64_t portion(int64_t most) const;
  /// Makes room for the next `count` tokens; they stand in rows `row`, ... of the pass.
  Segment read(int64_t count, int64_t row);
  /// The hidden state of the last token that was read; what comes next is drawn from it.
  std::vector<float>& last() { return last_; }

 private:
  struct Seen {
    int64_t start, end;
    std::shared_ptr<const VisionFeatures> vision;
  };
  int64_t shift(int64_t position) const;
  const Seen* seen_from(int64_t position) const;

  KvCache context_;
  int32_t adapter_;
  std::vector<int32_t> tokens_;
  std::vector<Seen> seen_;
  std::vector<float> last_;
};

}  // namespace compeer::rollout
