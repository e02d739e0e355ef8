#include "train/metrics/reward_signal.h"

#include <fmt/format.h>

#include <cmath>

namespace compeer::train {

namespace {

void add_to(int& steps, bool one_more) { steps = one_more ? steps + 1 : 0; }

std::string steps_text(int steps) { return steps == 1 ? "the only step" : fmt::format("the last {} steps", steps); }

}  // namespace

RewardSignal::RewardSignal(std::vector<std::pair<std::string, std::string>> rewards) {
  for (auto& [label, column] : rewards) rewards_.push_back({std::move(label), std::move(column)});
}

void RewardSignal::count(const MetricRow& row) {
  const bool left_out = row.has("left_out") && row.get("left_out") > 0;
  const bool silent = left_out || row.get("advantage_abs") == 0;
  taught_ = taught_ || !silent;
  add_to(silent_, silent);
  add_to(left_out_, left_out);
  add_to(unjudged_, std::isnan(row.get("reward")));
  for (Reward& reward : rewards_) {
    const double value = row.get(reward.column);
    const bool alike = row.get(reward.column + "_std") == 0 && (reward.equal == 0 || value == reward.value);
    reward.value = value;
    add_to(reward.unjudged, std::isnan(value));
    add_to(reward.equal, alike);
  }
}

std::string RewardSignal::about_all(const MetricRow& row) const {
  const auto steps = steps_text(silent_);
  if (left_out_ == silent_)
    return fmt::format("{} taught nothing: left out, because rewards, loss or gradient are not finite", steps);
  const std::string look = fmt::format(
      "; compeer log group RUN --step {:.0f} --prompt 0 shows completions and their rewards", row.get("step"));
  if (unjudged_ == silent_) {
    return fmt::format("{} taught nothing: no reward had an opinion of any completion{}", steps, look);
  }
  std::string equal;
  for (const Reward& reward : rewards_) {
    if (reward.equal > 0)
      equal += fmt::format("{} '{}' was {:g}", equal.empty() ? "" : ",", reward.label, reward.value);
  }
  return fmt::format(
      "{} taught nothing: within every group all rewards were equal{}. Rewards that tell the completions of a prompt "
      "apart are needed; more varied ones (sampling.temperature, grpo.group_size) may help{}",
      steps, equal.empty() ? "" : " (of every completion" + equal + ")", look);
}

std::string RewardSignal::about(const Reward& reward) {
  if (reward.unjudged >= patience)
    return fmt::format("reward '{}' scored no completion of {}", reward.label, steps_text(reward.unjudged));
  return fmt::format("reward '{}' was {:g} for every completion of {}: it does not tell them apart", reward.label,
                     reward.value, steps_text(reward.equal));
}

std::vector<std::string> RewardSignal::warnings_after(const MetricRow& row, bool last) {
  count(row);
  std::vector<std::string> warnings;
  const bool nothing = !warned_ && (silent_ >= patience || (last && !taught_));
  if (nothing) warnings.push_back(about_all(row));
  warned_ = warned_ || nothing;
  for (Reward& reward : rewards_) {
    if (reward.warned || (reward.unjudged < patience && reward.equal < patience)) continue;
    reward.warned = true;
    if (!nothing) warnings.push_back(about(reward));
  }
  return warnings;
}

}  // namespace compeer::train
