// From completions to rewards: what each reward plugin says, the weighted sum, and the reweighting within a group.
#include "train/batch/scoring.h"

#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "comm/phase.h"
#include "grpo/advantage.h"
#include "plugin/visit.h"

namespace compeer::train {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

std::string part_column(const RewardTerm& term, const std::string& part) {
  return "rewards/" + term.label + "/" + part;
}
std::string shaped_column(const RewardTerm& term) { return "shaped/" + term.label; }

// One column of a table [G, columns].
template <class Number>
std::vector<double> column_of(const at::Tensor& table, size_t column) {
  const auto* first = table.const_data_ptr<Number>();
  std::vector<double> values;
  for (int64_t row = 0; row < table.size(0); ++row)
    values.push_back(static_cast<double>(first[row * table.size(1) + static_cast<int64_t>(column)]));
  return values;
}

// Where the reward fails because of one completion, the error names it.
[[noreturn]] void rethrow(const std::exception_ptr& failure, RewardTerm& term, const Group& group) {
  try {
    std::rethrow_exception(failure);
  } catch (const plugin::NotFinite&) {
    throw;  // names the completion
  } catch (const plugin::PluginError& error) {
    const auto completion = plugin::culprit(term.plugin, group, term.parts, error);
    if (completion.empty()) throw;
    throw plugin::PluginError(completion, error);
  }
}

void add_reward(RewardTerm& term, const Group& group, const plugin::GroupScores& said, ScoreTable& scores) {
  const comm::Phase here("score", term.plugin.identity().title());
  if (said.failure) rethrow(said.failure, term, group);
  for (size_t part = 0; part < term.parts.size(); ++part)
    scores.add(part_column(term, term.parts[part]), column_of<float>(said.table, part));
  scores.notes.push_back(said.note);
  auto shaped = scores[reward_column(term)];
  for (size_t i = 0; i < shaped.size(); ++i) {
    const Completion& completion = group.completions[i];
    shaped[i] = grpo::shaped(shaped[i], completion.tokens, completion.finished, term.shaping);
  }
  scores.add(shaped_column(term), std::move(shaped));
}

std::vector<double> weighted_sums(RunPlugins& plugins, const ScoreTable& scores) {
  std::vector<double> weights, sums;
  for (const RewardTerm& term : plugins.rewards()) weights.push_back(term.weight);
  for (size_t i = 0; i < scores.completions(); ++i) {
    std::vector<double> terms;
    for (const auto& column : shaped_columns(plugins)) terms.push_back(scores[column][i]);
    sums.push_back(grpo::weighted_sum(terms, weights));
    // Terms are finite, but with a large weight their sum may not be.
    if (std::isinf(sums.back()))
      throw plugin::NotFinite(plugins.rewards().front().plugin.identity(), "score",
                              "with its weight gives an infinite sum of rewards, of completion " + std::to_string(i),
                              "lower the weights of the rewards");
  }
  return sums;
}

// Runs `work`, whose errors then say which step and record they are about.
template <class Work>
auto about(uint64_t step, const PromptGroup& group, Work work) {
  const auto subject = fmt::format("step {}, record {}", step, group.example.id);
  try {
    return work();
  } catch (const plugin::NotFinite& failure) {
    throw plugin::NotFinite(subject, failure);
  } catch (const plugin::PluginError& failure) {
    if (is_stop(failure.exit())) throw;  // no fault
    throw plugin::PluginError(subject, failure);
  }
}

// float64 [completions, 1 + factors]; undefined if there are no completions.
at::Tensor reweighted(RunPlugins& plugins, const Group& group, const std::vector<double>& rewards) {
  std::vector<std::string> names;
  for (const auto& column : plugins.factors()) names.push_back(column.substr(column.find('/') + 1));
  const comm::Phase here("score", plugins.reweighting()->identity().title());
  if (rewards.empty()) return {};
  return plugin::reweight(*plugins.reweighting(), group, at::tensor(rewards, at::kDouble), names);
}

}  // namespace

std::string reward_column(const RewardTerm& term) { return part_column(term, term.parts.front()); }

std::vector<std::string> shaped_columns(RunPlugins& plugins) {
  std::vector<std::string> names;
  for (const RewardTerm& term : plugins.rewards()) names.push_back(shaped_column(term));
  return names;
}

std::vector<std::string> logged_score_columns(RunPlugins& plugins) {
  std::vector<std::string> names{"reward"};
  for (const RewardTerm& term : plugins.rewards()) {
    for (const auto& part : term.parts) names.push_back(part_column(term, part));
  }
  names.emplace_back("reweighted");
  names.insert(names.end(), plugins.factors().begin(), plugins.factors().end());
  return names;
}

std::vector<WeightedPart> weighted_parts(const std::vector<RewardTerm>& rewards) {
  std::vector<WeightedPart> all;
  for (const RewardTerm& term : rewards) {
    if (term.weight == 0) continue;
    for (const auto& part : term.parts) all.push_back({part_column(term, part), term.weight});
  }
  return all;
}

// Each group that is ready gets a thread, which takes whatever else is ready when its turn comes.
struct StepScoring::Waiting {
  explicit Waiting(RewardTerm& of) : term(of) {}

  void begin(const PromptGroup& group, int64_t step, const std::string& split) {
    const std::lock_guard lock(mutex);
    const Copy& copy = copies.emplace_back(Copy{group.example, group.completions});
    ready.emplace_back(group.index, Group{copy.example, copy.completions, step, split});
    threads.emplace_back([this] { work(); });
  }

  void join() {
    for (auto& thread : threads) thread.join();
    threads.clear();
  }

  RewardTerm& term;
  std::map<int64_t, plugin::GroupScores> said;  // by PromptGroup::index
  std::exception_ptr stopped;

 private:
  void work() {
    const plugin::Visit visit(visits);
    const comm::Phase here("score", term.plugin.identity().title());
    std::vector<int64_t> indices;
    std::vector<Group> groups;
    {
      const std::lock_guard lock(mutex);
      for (auto& [index, group] : ready) {
        indices.push_back(index);
        groups.push_back(std::move(group));
      }
      ready.clear();
    }
    try {
      auto scores = plugin::score(term.plugin, groups, term.parts);
      const std::lock_guard lock(mutex);
      for (size_t g = 0; g < scores.size(); ++g) said[indices[g]] = std::move(scores[g]);
    } catch (...) {
      const std::lock_guard lock(mutex);
      stopped = std::current_exception();
    }
  }

  // Groups may be gone, because sampling failed, while somebody is still asked about them.
  struct Copy {
    Example example;
    std::vector<Completion> completions;
  };
  std::list<Copy> copies;
  std::mutex visits;  // of the plugin
  std::mutex mutex;   // of what follows, and of `said` and `stopped`
  std::vector<std::pair<int64_t, Group>> ready;
  std::vector<std::thread> threads;
};

StepScoring::StepScoring(RunPlugins& plugins, uint64_t step, std::string split)
    : plugins_(plugins), step_(step), split_(std::move(split)) {
  for (RewardTerm& term : plugins.rewards()) waiting_.push_back(term.waits ? std::make_unique<Waiting>(term) : nullptr);
}

// Whoever is still at work is not needed any more: an error ended the step.
StepScoring::~StepScoring() {
  plugins_.give_up_waiting(true);
  for (const auto& waiting : waiting_) {
    if (waiting) waiting->join();
  }
  plugins_.give_up_waiting(false);
}

Group StepScoring::seen(const PromptGroup& group) const {
  return {group.example, group.completions, static_cast<int64_t>(step_), split_};
}

void StepScoring::begin(const PromptGroup& group) {
  for (const auto& waiting : waiting_) {
    if (waiting) waiting->begin(group, static_cast<int64_t>(step_), split_);
  }
}

std::vector<plugin::GroupScores> StepScoring::scores_of(size_t term, const Groups& groups) {
  RewardTerm& reward = plugins_.rewards()[term];
  const comm::Phase here("score", reward.plugin.identity().title());
  std::vector<plugin::GroupScores> all;
  if (auto* const waiting = waiting_[term].get()) {
    waiting->join();
    if (waiting->stopped) std::rethrow_exception(waiting->stopped);
    for (const PromptGroup& group : groups) all.push_back(std::move(waiting->said.at(group.index)));
    return all;
  }
  std::vector<Group> shown;
  for (const PromptGroup& group : groups) shown.push_back(seen(group));
  return plugin::score(reward.plugin, shown, reward.parts);
}

ScoreTable StepScoring::table(const PromptGroup& group, const std::vector<plugin::GroupScores>& by_term) {
  return about(step_, group, [&] {
    ScoreTable scores(group.completions.size());
    for (size_t term = 0; term < by_term.size(); ++term)
      add_reward(plugins_.rewards()[term], seen(group), by_term[term], scores);
    scores.add("reward", weighted_sums(plugins_, scores));
    return scores;
  });
}

std::vector<ScoreTable> StepScoring::finish(const Groups& groups, const TellNotFinite& tell) {
  std::vector<std::vector<plugin::GroupScores>> by_group(groups.size());
  for (size_t term = 0; term < waiting_.size(); ++term) {
    auto of_term = scores_of(term, groups);
    for (size_t g = 0; g < groups.size(); ++g) by_group[g].push_back(std::move(of_term[g]));
  }
  std::vector<ScoreTable> tables;
  for (size_t g = 0; g < groups.size(); ++g) {
    try {
      tables.push_back(table(groups[g], by_group[g]));
    } catch (const plugin::NotFinite& error) {
      if (!tell) throw;
      tell(groups[g], error);
      tables.push_back(unscored(plugins_, groups[g]));
    }
  }
  return tables;
}

std::vector<double> reweight(RunPlugins& plugins, uint64_t step, const PromptGroup& group, ScoreTable& scores) {
  const auto& sums = scores["reward"];
  std::vector<Completion> completions;
  std::vector<double> rewards;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (std::isnan(sums[i])) continue;
    completions.push_back(group.completions[i]);
    rewards.push_back(sums[i]);
  }
  const auto table = about(step, group, [&] { return reweighted(plugins, {group.example, completions}, rewards); });
  auto names = plugins.factors();
  names.insert(names.begin(), "reweighted");
  for (size_t column = 0; column < names.size(); ++column) {
    const auto known = rewards.empty() ? std::vector<double>() : column_of<double>(table, column);
    std::vector<double> values;
    auto next = known.begin();
    for (const double sum : scores["reward"]) values.push_back(std::isnan(sum) ? no_number : *next++);
    scores.add(names[column], std::move(values));
  }
  return scores["reweighted"];
}

ScoreTable unscored(RunPlugins& plugins, const PromptGroup& group) {
  const size_t count = group.completions.size();
  ScoreTable scores(count);
  for (const RewardTerm& term : plugins.rewards()) {
    for (const auto& part : term.parts) scores.add(part_column(term, part), std::vector<double>(count, no_number));
    scores.add(shaped_column(term), std::vector<double>(count, no_number));
  }
  scores.add("reward", std::vector<double>(count, no_number));
  return scores;
}

}  // namespace compeer::train
