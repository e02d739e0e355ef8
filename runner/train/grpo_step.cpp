// GRPO: rollouts, rewards, reweighting, advantages, and one or more updates. A leaf of every sum is one prompt's group,
// or several.
#include "train/grpo_step.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "plugin/calls.h"
#include "train/batch/order.h"
#include "train/batch/rollouts.h"
#include "train/metrics/step_table.h"
#include "train/update/parts.h"

namespace compeer::train {

void GrpoStep::take(uint64_t t, Row& row) {
  Clock clock;
  auto groups = timed(clock, "rollout", [&] { return sample(t); });
  timed(clock, "score", [&] {
    for (ScoredGroup& group : groups) judge(t, group);
  });
  replaced_ = 0;
  for (int64_t attempt = 1; attempt <= settings_.resample; ++attempt) replace(t, attempt, groups, clock);
  std::vector<LearningGroup> learning;
  for (const ScoredGroup& group : groups) learning.emplace_back(group, settings_.mask_truncated);
  if (settings_.reference) timed(clock, "reference", [&] { ask_reference(groups, learning); });

  const Pooled pooled(run_.world, learning, settings_);
  for (LearningGroup& group : learning) group.advantages = pooled.advantages_of(group.scored->index);
  const auto updates = static_cast<uint64_t>(settings_.updates);
  if (training_.soundness.leaves_out() && training_.soundness.troubled()) {
    training_.soundness.decide(t);
  } else {
    for (uint64_t u = 0; u < updates; ++u) update(t, (t - 1) * updates + u, learning, pooled, clock, row);
  }

  write_advantages(pooled, row);
  clock.time("log", [&] {
    write_rest(t, groups, learning, row);
    tell_signal(t, row);
  });
  row.set("tokens_per_second", row.get("tokens") / clock.elapsed());
  clock.write(row);
}

// Where steps with rewards that are not finite are left out, a group that has them is recorded as if nobody had judged
// it.
void GrpoStep::judge(uint64_t t, ScoredGroup& group) {
  try {
    score(*run_.plugins, t, group);
  } catch (const plugin::NotFinite& error) {
    if (!training_.soundness.leaves_out()) throw;
    training_.soundness.note(
        fmt::format("of prompt {} (record {}) {} {}", group.index, group.example.id, error.plugin(), error.problem()));
    leave_unjudged(*run_.plugins, group);
  }
}

// This rank's prompts of the step, and what the policy answers.
std::vector<ScoredGroup> GrpoStep::sample(uint64_t t) {
  const auto leaves = gradients_.mine();
  const int64_t start = leaves.first * settings_.together;
  const int64_t count = std::clamp<int64_t>(settings_.batch - start, 0, leaves.count * settings_.together);
  const auto before = (t - 1) * static_cast<uint64_t>(settings_.batch);
  auto groups = records_.read(start, count, [&](int64_t i) {
    return record_at(run_.seed(), before + static_cast<uint64_t>(i), records_.size());
  });
  roll_out(*run_.plugins, groups, run_.spec.table("sampling"), settings_.group_size,
           {run_.seed(), static_cast<uint32_t>(t)});
  return groups;
}

// A group whose rewards are all equal teaches nothing: another prompt takes its place. All ranks make all attempts, for
// they meet at each.
void GrpoStep::replace(uint64_t t, int64_t attempt, std::vector<ScoredGroup>& groups, Clock& clock) {
  const auto step = static_cast<uint32_t>(t), before = static_cast<uint32_t>(attempt * settings_.batch);
  const auto other = [&](int64_t i) {
    return static_cast<int64_t>(below(static_cast<uint64_t>(records_.size()), run_.seed(), Stream::replacement, step,
                                      before + static_cast<uint32_t>(i)));
  };
  auto others = timed(clock, "rollout", [&] {
    std::vector<ScoredGroup> drawn;
    for (const ScoredGroup& group : groups) {
      if (!all_equal(group.rewards)) continue;
      drawn.push_back(records_.read(group.index, 1, other).front());
    }
    roll_out(*run_.plugins, drawn, run_.spec.table("sampling"), settings_.group_size, {run_.seed(), step, before});
    return drawn;
  });
  timed(clock, "score", [&] {
    for (ScoredGroup& group : others) judge(t, group);
  });
  replaced_ += static_cast<int64_t>(others.size());
  for (ScoredGroup& group : others) {
    const auto place = static_cast<size_t>(group.index - groups.front().index);
    groups[place] = std::move(group);
  }
}

// What completions of the prompts that are held out are worth. Random numbers are those of step 0, so that each look
// differs from the last in the model alone.
Validation::Figures GrpoStep::validate(uint64_t t) {
  const auto mine = comm::share(held_out_->size(), run_.world.size(), run_.world.rank());
  const auto group_size = run_.spec.table("validation").integer("group_size");
  const auto groups = run_.world.together("validate", [&] {
    run_.journal->phase("validate");
    auto drawn = held_out_->read(mine.first, mine.count, [](int64_t i) { return i; });
    roll_out(*run_.plugins, drawn, run_.spec.table("sampling"), group_size, {run_.seed(), 0});
    for (ScoredGroup& group : drawn) {
      try {
        score(*run_.plugins, t, group);
      } catch (const plugin::NotFinite&) {
        if (!training_.soundness.leaves_out()) throw;
        leave_unjudged(*run_.plugins, group);
      }
    }
    return drawn;
  });
  const auto table = StepTable::gather(run_.world, groups, {});
  return run_.world.rank() == 0 ? table.metrics(score_columns(*run_.plugins)) : Validation::Figures();
}

kernels::TokenLogprobs GrpoStep::forward(const GroupBatch& batch) {
  const comm::Phase here("train", run_.plugins->model().identity().title());
  return run_.plugins->model().call(
      "forward", [&](Model&) { return log_probs(run_.plugins->policy(), batch, settings_.sampling.temperature); });
}

Passes GrpoStep::passes() {
  const auto back = [this](const GroupBatch& batch, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                           const std::function<void()>& last) {
    const comm::Phase here("train", run_.plugins->model().identity().title());
    run_.plugins->model().call("forward", [&](Model&) {
      backward_in_parts(run_.plugins->policy(), batch, settings_.sampling.temperature, settings_.micro_tokens,
                        dlog_prob, dentropy, last);
    });
  };
  return {[this](const GroupBatch& batch) { return forward(batch); }, back, settings_.micro_tokens};
}

// Log-probs under the model that the run began with. A KL term of the reward is taken off here.
void GrpoStep::ask_reference(std::vector<ScoredGroup>& groups, std::vector<LearningGroup>& learning) {
  training_.as_reference(gradients_.room(), [&] {
    const at::NoGradGuard no_grad;
    for (LearningGroup& group : learning) {
      group.reference = forward(group.batch).log_prob;
      comm::mark_progress();
    }
  });
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto kl = sampled_kl(learning[g], settings_.objective);
    for (size_t i = 0; i < kl.size(); ++i) {
      groups[g].values[i].push_back(kl[i]);
      groups[g].rewards[i] -= settings_.kl_reward * kl[i];
    }
  }
}

// Each group's gradient, then their sum over all ranks and a step of the optimizer. `count` counts updates of the run.
void GrpoStep::update(uint64_t t, uint64_t count, const std::vector<LearningGroup>& learning, const Pooled& pooled,
                      Clock& clock, Row& row) {
  const bool first = count % static_cast<uint64_t>(settings_.updates) == 0;
  if (first) difference_ = 0;
  furthest_ = 0;
  const RngKey key{run_.seed(), static_cast<uint32_t>(count)};
  const auto goal = objective();
  const Parameters::Ready ready = [this](comm::Share elements) { gradients_.ready(elements); };
  timed(clock, "train", [&] {
    for (auto group = learning.begin(); group != learning.end();) {
      const int64_t leaf = group->scored->index / settings_.together;
      const auto end = std::find_if(group, learning.end(), [&](const LearningGroup& other) {
        return other.scored->index / settings_.together != leaf;
      });
      UpdateStats all;
      for (bool on = false; group != end; ++group, on = true) {
        all += learn(passes(), training_.parameters, *group, goal, pooled.step, key, gradients_.room(), on,
                     group + 1 == end ? ready : nullptr);
        comm::mark_progress();
      }
      training_.soundness.look_at(place_of(leaf), all.sum[UpdateStats::loss], gradients_.room());
      gradients_.add(leaf, gradients_.room());
      sums_.add(leaf, all.sum);
      furthest_ = std::max(furthest_, all.furthest);
      if (first) difference_ = std::max(difference_, all.difference);
    }
  });
  const auto sums = clock.time("reduce", [&] { return sums_.finish(); });
  const double loss = sums[UpdateStats::loss];
  write_update(sums, pooled, training_.update(t, loss, gradients_, clock), row);
  const bool last = (count + 1) % static_cast<uint64_t>(settings_.updates) == 0;
  if (settings_.entropy_control && last) move_bonus(sums, pooled);
}

std::string GrpoStep::place_of(int64_t leaf) const {
  const int64_t first = leaf * settings_.together, last = std::min(first + settings_.together, settings_.batch) - 1;
  return last > first ? fmt::format("prompts {} to {}", first, last) : fmt::format("prompt {}", first);
}

grpo::Objective GrpoStep::objective() const {
  auto now = settings_.objective;
  if (settings_.entropy_control) now.entropy_bonus = training_.numbers.at(entropy_bonus);
  return now;
}

void GrpoStep::move_bonus(std::span<const double> sums, const Pooled& pooled) {
  double& bonus = training_.numbers.at(entropy_bonus);
  const double entropy = sums[UpdateStats::entropy] / std::max(pooled.step.size.tokens, 1.0);
  bonus = grpo::next_bonus(bonus, entropy, *settings_.entropy_control);
}

}  // namespace compeer::train
