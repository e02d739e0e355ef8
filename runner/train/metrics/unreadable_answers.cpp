#include "train/metrics/unreadable_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace compeer::train {

namespace {

std::string column(const std::string& label, const char* part) { return fmt::format("rewards/{}/{}", label, part); }

// A step in which no completion has a value asks nothing.
double number_or_0(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

std::vector<UnreadableAnswers::Limit> UnreadableAnswers::limits_of(const std::vector<RewardTerm>& rewards) {
  std::vector<Limit> limits;
  for (size_t i = 0; i < rewards.size(); ++i) {
    const RewardTerm& term = rewards[i];
    const auto has = [&](const char* part) { return std::ranges::find(term.parts, part) != term.parts.end(); };
    if (has("asked") && has("unreadable"))
      limits.push_back({term.label, fmt::format("rewards[{}].most_unreadable", i), term.most_unreadable});
  }
  return limits;
}

UnreadableAnswers::UnreadableAnswers(std::vector<Limit> limits, uint64_t steps) : steps_(std::min(steps, window)) {
  for (Limit& limit : limits) rewards_.push_back({std::move(limit)});
}

std::vector<std::string> UnreadableAnswers::warnings_after(const MetricRow& row) {
  std::vector<std::string> warnings;
  for (Reward& reward : rewards_) {
    const auto& [label, setting, most] = reward.limit;
    const Step step{row.get("step"), number_or_0(row.get(column(label, "asked"))),
                    number_or_0(row.get(column(label, "unreadable")))};
    reward.steps.push_back(step);
    if (reward.steps.size() > steps_) reward.steps.pop_front();
    if (reward.warned || step.unreadable <= most * step.asked) continue;
    reward.warned = true;
    warnings.push_back(
        fmt::format("reward '{}' could not read {:.1f} % of the answers in step {:.0f}; the run ends if it is more "
                    "than {:g} % in {} ({})",
                    label, 100 * step.unreadable / step.asked, step.number, 100 * most,
                    steps_ == 1 ? "1 step" : fmt::format("{} steps", steps_), setting));
  }
  return warnings;
}

void UnreadableAnswers::check() const {
  for (const Reward& reward : rewards_) {
    const auto& [label, setting, most] = reward.limit;
    double asked = 0, unreadable = 0, largest = 0;
    for (const Step& step : reward.steps)
      asked += step.asked, unreadable += step.unreadable, largest = std::max(largest, step.asked);
    const double in_all = asked + largest * static_cast<double>(steps_ - reward.steps.size());
    if (unreadable <= most * in_all) continue;
    const double first = reward.steps.front().number, last = reward.steps.back().number;
    throw Error(
        fmt::format("reward '{}'", label),
        fmt::format(
            "could not read {:.1f} % of the answers in {}; '{}' allows {:g} %", 100 * unreadable / asked,
            first == last ? fmt::format("step {:.0f}", last) : fmt::format("steps {:.0f} to {:.0f}", first, last),
            setting, 100 * most),
        fmt::format("check that the reward asks the right model, in the form that this model was trained in; log.txt "
                    "has such an answer, compeer log group RUN --step {:.0f} --prompt 0 what it was about; a larger "
                    "most_unreadable lets the run go on",
                    last),
        Exit::data);
  }
}

}  // namespace compeer::train
