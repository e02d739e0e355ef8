#pragma once
#include <string>
#include <vector>

#include "rollout/engine.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// One prompt with its completions, what they were worth, and why.
struct ScoredGroup {
  int64_t index = 0;  ///< within the step, over all ranks
  Example example;
  std::vector<Turn> turns;  ///< what the model is shown of its history
  std::vector<int32_t> prompt;
  std::vector<Picture> pictures;                           ///< that the prompt shows, until they were looked at
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< of these
  std::vector<rollout::Sample> samples;
  std::vector<Completion> completions;
  std::vector<std::vector<double>> values;  ///< for each completion, one number for each of `score_columns`
  std::vector<double> rewards;              ///< after reweighting: what advantages are computed from; NaN: no reward
  std::vector<std::vector<double>> terms;   ///< for each completion, the rewards one by one, unweighted
};

/// "reward" (the weighted sum), "rewards/<label>/<part>" ..., "reweighted", "<reweighting>/<factor>" ...
std::vector<std::string> score_columns(RunPlugins& plugins);

/// Fills completions, values, rewards and terms from example and samples. A reward that has no opinion of a completion
/// is NaN there and left out of its sum. Errors begin with "step 3, record a/7"; where a reward throws for one of the
/// completions alone, too, with "step 3, record a/7, completion 2 (the first is 0)".
void score(RunPlugins& plugins, uint64_t step, ScoredGroup& group);

/// The same shape, with nothing but NaN: of a group whose rewards can't be used.
void leave_unjudged(RunPlugins& plugins, ScoredGroup& group);

}  // namespace compeer::train
