#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compeer/conversation.h"
#include "compeer/model.h"
#include "language/chat.h"
#include "rollout/engine.h"

namespace compeer::train {

/// One prompt with its completions: a group in the sense of Eq. 2 and 3.
struct PromptGroup {
  int64_t index = 0;  ///< within the step, over all ranks
  Example example;
  std::vector<Turn> turns;  ///< the part of the history that the model is shown
  std::vector<int32_t> prompt;
  std::vector<Picture> pictures;                           ///< of the prompt, until `vision` is computed from them
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< of these pictures
  std::vector<rollout::Sample> samples;                    ///< the completions: tokens and their log-probs
  std::vector<Completion> completions;                     ///< the same as text: what rewards are given
};

using Groups = std::vector<PromptGroup>;

}  // namespace compeer::train
