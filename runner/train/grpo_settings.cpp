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

PeakMemory GrpoSettings::demand(int64_t leaves, int64_t longest) const {
  const int64_t one = longest + sampling.max_new_tokens, group = longest + group_size * sampling.max_new_tokens;
  const int64_t at_once = std::max(micro_tokens, one);
  return {gradients_of(leaves, together == 1 && group <= at_once), std::min(group, at_once),
          positions_of(leaves * together, longest, group_size, sampling), together == 1};
}

}  // namespace compeer::train
