#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "rollout/engine.h"

namespace compeer::serve {

/// Sequences that were read lately stay in the engine's pages, so that a prompt which begins like one of them is read
/// from where it differs. Those not used for longest go when pages are wanted.
class Prefixes {
 public:
  /// `most`: pages that all of the engine's sequences may take before some are given up.
  Prefixes(rollout::Engine& engine, int64_t most) : engine_(engine), most_(most) {}

  /// A sequence that a prompt is read into.
  struct Place {
    std::vector<int32_t> prompt;       // all of it
    rollout::CachedSequence sequence;  // what of it is read; then the prompt, and its first completion
    int64_t begun = 0;                 // tokens of it that the sequence had when the place was given
    int64_t cached = 0;                // and those that were read
    uint64_t used = 0;                 // when, counted in places
    bool busy = true;
  };

  /// The place for a prompt, with as much of it as has been read before, but never all. Nothing if it is better to
  /// wait, as somebody is about to read more of what it begins with. It stays until it is `left`. What one of the
  /// model's adapters has read is nothing to the others.
  Place* enter(const std::vector<int32_t>& prompt, int32_t adapter = 0);
  void leave(Place* place);

 private:
  void make_room();

  rollout::Engine& engine_;
  const int64_t most_;
  std::list<Place> places_;
  uint64_t count_ = 0;
};

}  // namespace compeer::serve
