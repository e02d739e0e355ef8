// Warnings about rewards without a training signal, and about judges' answers that can't be parsed.
#include "train/metrics/reward_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "record/run_file.h"
#include "train/batch/scoring.h"

namespace compeer::train {

namespace {

void add_to(int& steps, bool one_more) { steps = one_more ? steps + 1 : 0; }

std::string steps_text(int steps) { return steps == 1 ? "the only step" : fmt::format("the last {} steps", steps); }

std::string column(const std::string& label, const char* part) { return fmt::format("rewards/{}/{}", label, part); }

// A step in which no completion has a value has no answers.
double number_or_0(double value) { return std::isfinite(value) ? value : 0; }

// Labels and columns of the rewards whose weight is not 0.
std::vector<std::pair<std::string, std::string>> weighted_rewards(const std::vector<RewardTerm>& rewards) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const RewardTerm& term : rewards) {
    if (term.weight != 0) all.emplace_back(term.label, reward_column(term));
  }
  return all;
}

}  // namespace

RewardSignal::RewardSignal(std::vector<std::pair<std::string, std::string>> rewards) {
  for (auto& [label, column] : rewards) rewards_.push_back({std::move(label), std::move(column)});
}

void RewardSignal::update_counters(const MetricRow& row) {
  const bool left_out = row.has("left_out") && row.get("left_out") > 0;
  const bool silent = left_out || row.get("advantage_abs") == 0;
  any_signal_ = any_signal_ || !silent;
  add_to(no_signal_, silent);
  add_to(skipped_, left_out);
  add_to(unscored_, std::isnan(row.get("reward")));
  for (Reward& reward : rewards_) {
    const double value = row.get(reward.column);
    const bool alike = row.get(reward.column + "_std") == 0 && (reward.equal == 0 || value == reward.value);
    reward.value = value;
    add_to(reward.unscored, std::isnan(value));
    add_to(reward.equal, alike);
  }
}

std::string RewardSignal::run_warning(const MetricRow& row) const {
  const auto steps = steps_text(no_signal_);
  if (skipped_ == no_signal_)
    return fmt::format("{} gave no training signal: left out, because rewards, loss or gradient are not finite", steps);
  const std::string look = fmt::format(
      "; compeer log group RUN --step {:.0f} --prompt 0 shows completions and their rewards", row.get("step"));
  if (unscored_ == no_signal_) {
    return fmt::format("{} gave no training signal: no reward scored any completion{}", steps, look);
  }
  std::string equal;
  for (const Reward& reward : rewards_) {
    if (reward.equal > 0)
      equal += fmt::format("{} '{}' was {:g}", equal.empty() ? "" : ",", reward.label, reward.value);
  }
  return fmt::format(
      "{} gave no training signal: within every group all rewards were equal{}. Use rewards that differ between the "
      "completions of a prompt, or more varied completions (sampling.temperature, grpo.group_size){}",
      steps, equal.empty() ? "" : " (of every completion" + equal + ")", look);
}

std::string RewardSignal::reward_warning(const Reward& reward) {
  if (reward.unscored >= patience)
    return fmt::format("reward '{}' scored no completion of {}", reward.label, steps_text(reward.unscored));
  return fmt::format("reward '{}' was {:g} for every completion of {}: it does not distinguish completions",
                     reward.label, reward.value, steps_text(reward.equal));
}

std::vector<std::string> RewardSignal::warnings_after(const MetricRow& row, bool last) {
  update_counters(row);
  std::vector<std::string> warnings;
  const bool nothing = !warned_ && (no_signal_ >= patience || (last && !any_signal_));
  if (nothing) warnings.push_back(run_warning(row));
  warned_ = warned_ || nothing;
  for (Reward& reward : rewards_) {
    if (reward.warned || (reward.unscored < patience && reward.equal < patience)) continue;
    reward.warned = true;
    if (!nothing) warnings.push_back(reward_warning(reward));
  }
  return warnings;
}

std::vector<UnreadableAnswers::Limit> UnreadableAnswers::limits_of(const std::vector<RewardTerm>& rewards) {
  std::vector<Limit> limits;
  for (size_t i = 0; i < rewards.size(); ++i) {
    const RewardTerm& term = rewards[i];
    const auto has = [&](const char* part) { return std::ranges::find(term.parts, part) != term.parts.end(); };
    if (has("asked") && has("unreadable"))
      limits.push_back({term.label, fmt::format("rewards[{}].max_unreadable", i), term.most_unreadable});
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
        fmt::format("reward '{}' could not parse {:.1f} % of the answers in step {:.0f}; the run stops if it is more "
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
            "could not parse {:.1f} % of the answers in {}; '{}' allows {:g} %", 100 * unreadable / asked,
            first == last ? fmt::format("step {:.0f}", last) : fmt::format("steps {:.0f} to {:.0f}", first, last),
            setting, 100 * most),
        fmt::format("check that the reward calls the right model, with the prompt format that the model was trained "
                    "on; log.txt contains such an answer, compeer log group RUN --step {:.0f} --prompt 0 shows a group "
                    "of the step; to continue anyway, raise max_unreadable",
                    last),
        Exit::data);
  }
}

RewardWarnings::RewardWarnings(RunContext& run, uint64_t steps)
    : run_(run),
      signal_(weighted_rewards(run.plugins->rewards())),
      answers_(UnreadableAnswers::limits_of(run.plugins->rewards()), steps) {}

void RewardWarnings::read_earlier_rows() {
  run_.world.run_on_all_ranks("open the log", [&] {
    if (run_.world.rank() != 0 || run_.start.step == 0) return;
    const record::RunReader reader(run_.folder / "run.h5");
    std::vector<std::vector<double>> values;
    for (const auto& column : run_.journal->columns()) values.push_back(reader.column(column));
    for (uint64_t t = 0; t < run_.start.step; ++t) {
      MetricRow row(run_.journal->columns());
      for (size_t i = 0; i < values.size(); ++i) row.set(row.columns()[i], values[i].at(t));
      signal_.warnings_after(row, false);
      answers_.warnings_after(row);
    }
  });
}

void RewardWarnings::check(uint64_t t, const MetricRow& row, bool last) {
  for (const auto& text : signal_.warnings_after(row, last)) run_.journal->warning(t, text);
  for (const auto& text : answers_.warnings_after(row)) run_.journal->warning(t, text);
  answers_.check();
}

}  // namespace compeer::train
