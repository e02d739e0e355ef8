#pragma once
#include <vector>

#include "rollout/engine.h"
#include "rollout/pass.h"

namespace compeer::rollout {

/// One call of Engine::choose: guesses are read, in portions that end where a token is asked for, and then all tokens
/// are drawn.
class Choosing {
 public:
  Choosing(Policy& policy, Pages& pages, const std::vector<Guess>& guesses, const Sampling& sampling);
  std::vector<std::vector<NextToken>> run();

 private:
  struct GuessEnd {
    size_t guess;
    bool asked;  // what comes behind it
  };

  bool at_place(size_t guess) const;
  void add(size_t guess);
  bool forward();
  void draw();

  Policy& policy_;
  const std::vector<Guess>& guesses_;
  const Sampling& sampling_;
  const ModelShape shape_;
  Pass pass_;
  std::vector<GuessEnd> ends_;  // of the portions in this pass
  std::vector<std::vector<NextToken>> choices_;
};

}  // namespace compeer::rollout
