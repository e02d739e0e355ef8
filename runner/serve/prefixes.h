#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "rollout/engine.h"

namespace compeer::serve {

/// Prefix cache: keeps recently read sequences in the engine's KV cache, so that a prompt is computed only from where
/// it differs from the most similar of them. Evicts the least recently used. Not thread-safe.
class PrefixCache {
 public:
  /// Evicts sequences while all of the engine's sequences together use more than `most` pages. Keeps a reference to
  /// `engine`.
  PrefixCache(rollout::Engine& engine, int64_t most) : engine_(engine), most_(most) {}

  /// A cached sequence. While it is busy, a prompt is being read into it.
  struct Entry {
    std::vector<int32_t> prompt;       // the whole prompt
    rollout::CachedSequence sequence;  // first a prefix of the prompt; later prompt and first completion
    int64_t begun = 0;                 // length of that prefix
    int64_t cached = 0;                // tokens of the prefix whose keys and values are cached
    uint64_t used = 0;                 // time of last use, counted in calls of `acquire`
    bool busy = true;
  };

  /// Returns a place for `prompt` whose sequence holds the longest cached prefix of it, never the whole prompt. Returns
  /// null if the caller should try again later, because a busy place is about to read a prefix that is longer by at
  /// least 32 tokens. Adapters do not share prefixes. The place is valid until `release`, which must be called when the
  /// completions have ended.
  Entry* acquire(const std::vector<int32_t>& prompt, int32_t adapter = 0);
  /// Makes a place idle: its sequence stays in the cache until it is evicted.
  void release(Entry* place);

 private:
  void make_room();  // evicts idle entries until the limit is met

  rollout::Engine& engine_;
  const int64_t most_;        // limit in pages
  std::list<Entry> entries_;  // a list, so that addresses stay valid
  uint64_t count_ = 0;        // number of calls of `acquire`
};

}  // namespace compeer::serve
