// Reads the settings of GRPO from a spec and derives the sizes of its batches.
#include "train/grpo_settings.h"

#include <algorithm>
#include <utility>

namespace compeer::train {

GrpoSettings::GrpoSettings(const Settings& spec)
    : GrpoTable(spec::read_table<GrpoTable>(spec.table("grpo").json())),
      sampling(spec::read_table<spec::Sampling>(spec.table("sampling").json())),
      reference(objective.kl > 0) {
  for (const auto& reward : spec.json().at("rewards")) reward_weights.push_back(reward.at("weight").get<double>());
  objective.only_high_entropy = high_entropy_share < 1;
  if (kl_in == "reward") std::swap(kl_reward, objective.kl);
}

PeakMemory GrpoSettings::estimated_peak(int64_t leaves, int64_t longest_prompt) const {
  const int64_t one = longest_prompt + sampling.max_new_tokens,
                group = longest_prompt + group_size * sampling.max_new_tokens;
  const int64_t at_once = std::max(micro_tokens, one);
  return {gradients_of(leaves, groups_per_reduction == 1 && group <= at_once), std::min(group, at_once),
          kv_tokens(leaves * groups_per_reduction, longest_prompt, group_size, sampling), groups_per_reduction == 1};
}

}  // namespace compeer::train
