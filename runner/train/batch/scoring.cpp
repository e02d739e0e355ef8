// From completions to rewards: the columns of each reward plugin, the weighted sum, and the reweighting of each group.
// Also the states of rewards.
#include "train/batch/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "comm/phase.h"
#include "grpo/advantage.h"
#include "plugin/guard.h"

namespace compeer::train {

namespace {

std::string part_column(const RewardTerm& term, const std::string& part) {
  return "rewards/" + term.label + "/" + part;
}
std::string shaped_column(const RewardTerm& term) { return "shaped/" + term.label; }

// Rethrows the error of a reward; if a single completion causes it, the new error names that completion.
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

// Runs `work` and adds step and record to errors of plugins.
template <class Work>
auto about(uint64_t step, const PromptGroup& group, Work work) {
  const auto subject = fmt::format("step {}, record {}", step, group.example.id);
  try {
    return work();
  } catch (const plugin::NotFinite& failure) {
    throw plugin::NotFinite(subject, failure);
  } catch (const plugin::PluginError& failure) {
    if (is_stop(failure.exit())) throw;  // not a failure
    throw plugin::PluginError(subject, failure);
  }
}

using nlohmann::json;

constexpr const char* file = "rewards.json";

bool any_learns(RunPlugins& plugins) {
  const auto& all = plugins.rewards();
  return std::any_of(all.begin(), all.end(), [](const RewardTerm& term) { return term.learns; });
}

// {label: state} of all rewards with a state.
json states_of(RunPlugins& plugins) {
  json all = json::object();
  for (RewardTerm& term : plugins.rewards()) {
    if (term.learns) all[term.label] = term.plugin.call("state", [](const Reward& reward) { return reward.state(); });
  }
  return all;
}

// A stop request inside learn() is an error: the weights have already changed, so the step can't be repeated.
void learn(RewardTerm& term, const std::vector<json>& notes) {
  try {
    term.plugin.call("learn", [&](Reward& reward) { reward.learn(notes); });
  } catch (const Error& error) {
    if (!is_stop(error.exit())) throw;
    throw Error(error.where(), error.problem(), "learn() must not call a chat model", Exit::plugin);
  }
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

// Runs an asynchronous reward. Each group that is ready starts a thread. A thread that acquires the plugin scores all
// groups that are ready by then.
struct StepScoring::AsyncReward {
  explicit AsyncReward(RewardTerm& of) : term(of) {}

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
    const plugin::PluginLock visit(visits);
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

  // Copies, because groups may be destroyed (if sampling fails) while a reward still scores them.
  struct Copy {
    Example example;
    std::vector<Completion> completions;
  };
  std::list<Copy> copies;
  std::mutex visits;  // held by the thread that calls the plugin
  std::mutex mutex;   // protects all members but `visits`
  std::vector<std::pair<int64_t, Group>> ready;
  std::vector<std::thread> threads;
};

StepScoring::StepScoring(RunPlugins& plugins, uint64_t step, std::string split)
    : plugins_(plugins), step_(step), split_(std::move(split)) {
  for (RewardTerm& term : plugins.rewards())
    waiting_.push_back(term.is_async ? std::make_unique<AsyncReward>(term) : nullptr);
}

// If threads are still running, an error ended the step and their results are not needed.
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

void StepScoring::set_reward(StepBatch& batch, size_t g, RewardTerm& term, const plugin::GroupScores& given) {
  const comm::Phase here("score", term.plugin.identity().title());
  const Group group = seen(batch.groups[g]);
  if (given.failure) rethrow(given.failure, term, group);
  for (const auto& part : term.parts)
    std::ranges::copy(given.scores.at(part), batch.columns.row(part_column(term, part), g).begin());
  batch.notes[g].push_back(given.scores.note);
  const auto rewards = batch.columns.row(reward_column(term), g), shaped = batch.columns.row(shaped_column(term), g);
  for (size_t i = 0; i < shaped.size(); ++i) {
    const Completion& completion = group.completions[i];
    shaped[i] = grpo::shaped(rewards[i], completion.tokens, completion.finished, term.shaping);
  }
}

void StepScoring::set_sums(StepBatch& batch, size_t g) {
  std::vector<double> weights;
  std::vector<std::span<double>> terms;
  for (const RewardTerm& term : plugins_.rewards()) {
    weights.push_back(term.weight);
    terms.push_back(batch.columns.row(shaped_column(term), g));
  }
  const auto sums = batch.columns.row("reward", g);
  for (size_t i = 0; i < sums.size(); ++i) {
    std::vector<double> of_one;
    for (const auto& term : terms) of_one.push_back(term[i]);
    sums[i] = grpo::weighted_sum(of_one, weights);
    if (!std::isinf(sums[i])) continue;
    // The rewards are finite, but a large weight makes a term or the sum overflow: names the largest term.
    const auto size = [&](size_t k) { return std::isnan(of_one[k]) ? -1.0 : std::abs(weights[k] * of_one[k]); };
    size_t largest = 0;
    for (size_t k = 1; k < of_one.size(); ++k) {
      if (size(k) > size(largest)) largest = k;
    }
    throw plugin::NotFinite(
        plugins_.rewards()[largest].plugin.identity(), "score",
        "returned a reward that, times its weight, makes the sum of rewards infinite for completion " +
            std::to_string(i),
        "lower the weights of the rewards");
  }
}

// Passes the completions that have a reward to the reweighting plugin, and sets its columns.
void StepScoring::reweight(StepBatch& batch, size_t g) {
  const PromptGroup& group = batch.groups[g];
  const auto sums = batch.columns.row("reward", g);
  std::vector<size_t> places;
  std::vector<Completion> completions;
  std::vector<double> rewards;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (std::isnan(sums[i])) continue;
    places.push_back(i);
    completions.push_back(group.completions[i]);
    rewards.push_back(sums[i]);
  }
  if (places.empty()) return;
  auto& plugin = *plugins_.reweighting();
  const comm::Phase here("score", plugin.identity().title());
  std::vector<std::string> factors;
  for (const auto& column : plugins_.factors()) factors.push_back(column.substr(column.find('/') + 1));
  const auto given = plugin::reweight(plugin, {group.example, completions}, rewards, factors);
  const auto put = [&](const std::string& column, const std::vector<double>& values) {
    for (size_t i = 0; i < places.size(); ++i) batch.columns.row(column, g)[places[i]] = values[i];
  };
  put("reweighted", given.at("reward"));
  put("learned", given.at("reward"));
  for (size_t f = 0; f < factors.size(); ++f) put(plugins_.factors()[f], given.at(factors[f]));
}

void StepScoring::finish(StepBatch& batch, const TellNotFinite& tell) {
  std::vector<std::vector<plugin::GroupScores>> by_term;
  for (size_t term = 0; term < waiting_.size(); ++term) by_term.push_back(scores_of(term, batch.groups));
  auto names = logged_score_columns(plugins_);
  for (const auto& shaped : shaped_columns(plugins_)) names.push_back(shaped);
  names.emplace_back("learned");
  for (const auto& name : names) batch.columns.set_unknown(name);
  for (size_t g = 0; g < batch.groups.size(); ++g) {
    try {
      about(step_, batch.groups[g], [&] {
        for (size_t term = 0; term < by_term.size(); ++term)
          set_reward(batch, g, plugins_.rewards()[term], by_term[term][g]);
        set_sums(batch, g);
        reweight(batch, g);
      });
    } catch (const plugin::NotFinite& error) {
      if (!tell) throw;
      tell(batch.groups[g], error);
      batch.notes[g].clear();
      for (const auto& name : names) std::ranges::fill(batch.columns.row(name, g), no_opinion);
    }
  }
}

void update_reward_states(comm::World& world, RunPlugins& plugins, const StepBatch& mine) {
  if (!any_learns(plugins)) return;
  const json noted = mine.notes;
  json all = json::array();
  for (const auto& theirs : world.gather(noted.dump(-1, ' ', false, json::error_handler_t::replace))) {
    for (auto& group : json::parse(theirs)) all.push_back(std::move(group));
  }
  std::string text = all.dump();
  world.broadcast(text);
  world.run_on_all_ranks("score", [&] {
    all = json::parse(text);
    for (size_t i = 0; i < plugins.rewards().size(); ++i) {
      RewardTerm& term = plugins.rewards()[i];
      if (!term.learns) continue;
      std::vector<json> notes;
      for (const json& group : all) notes.push_back(group.empty() ? json() : group.at(i));  // null without scores
      learn(term, notes);
    }
  });
}

void save_reward_states(comm::World& world, RunPlugins& plugins, const std::filesystem::path& folder) {
  if (!any_learns(plugins)) return;
  const json mine = states_of(plugins);
  const auto all = world.gather(mine.dump(-1, ' ', false, json::error_handler_t::replace));
  world.run_on_all_ranks("checkpoint", [&] {
    for (size_t rank = 1; rank < all.size(); ++rank) {
      const json theirs = json::parse(all[rank]);
      for (const auto& [label, state] : mine.items()) {
        if (theirs.at(label) == state) continue;
        throw Error(fmt::format("reward '{}'", label), fmt::format("state on rank {} differs from rank 0", rank),
                    "change the state only in learn(), as a deterministic function of its arguments", Exit::plugin);
      }
    }
    if (world.rank() == 0) write_file(folder / file, mine.dump(2) + "\n");
  });
}

void load_reward_states(RunPlugins& plugins, const std::filesystem::path& folder) {
  if (!any_learns(plugins) || !std::filesystem::exists(folder / file)) return;
  const json states = read_json_object(folder / file);
  for (RewardTerm& term : plugins.rewards()) {
    if (term.learns && states.contains(term.label))
      term.plugin.call("restore", [&](Reward& reward) { reward.restore(states.at(term.label)); });
  }
}

}  // namespace compeer::train
