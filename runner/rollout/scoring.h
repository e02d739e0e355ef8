#pragma once
#include <memory>
#include <vector>

#include "rollout/engine.h"
#include "rollout/pass.h"

namespace compeer::rollout {

/// One call of Engine::score: texts that are read in portions, some at a time.
class Scoring {
 public:
  Scoring(Policy& policy, Pages& pages, const PromptSource& source, const Request& request, const ScoreSink& sink);
  void run();

 private:
  struct ScoredText {
    size_t order;
    uint32_t index;
    CachedSequence conversation;  // without the last token, which predicts none
    std::vector<int32_t> tokens;
    int64_t before, first;  // places in the conversation: where `tokens` begin, and the first that is scored
    std::vector<float> log_probs;
  };

  void admit();
  void forward();
  void deliver_finished();

  Policy& policy_;
  Pages& pages_;
  const PromptSource& source_;
  const Request& request_;
  const ScoreSink& sink_;
  const ModelShape shape_;
  Pass pass_;
  std::vector<std::unique_ptr<ScoredText>> texts_;
  size_t count_ = 0;
  bool ended_ = false;
};

}  // namespace compeer::rollout
