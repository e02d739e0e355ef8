#include "train/batch/reward_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::train {

namespace {

using nlohmann::json;

constexpr const char* file = "rewards.json";

bool any_learns(RunPlugins& plugins) {
  const auto& all = plugins.rewards();
  return std::any_of(all.begin(), all.end(), [](const RewardTerm& term) { return term.learns; });
}

// By label.
json states_of(RunPlugins& plugins) {
  json all = json::object();
  for (RewardTerm& term : plugins.rewards()) {
    if (term.learns) all[term.label] = term.plugin.call("state", [](const Reward& reward) { return reward.state(); });
  }
  return all;
}

// A stop is an error here: the weights have changed already, and there is no checkpoint between them and this.
void learn(RewardTerm& term, const std::vector<json>& notes) {
  try {
    term.plugin.call("learn", [&](Reward& reward) { reward.learn(notes); });
  } catch (const Error& error) {
    if (!is_stop(error.exit())) throw;
    throw Error(error.where(), error.problem(), "learn() must not ask a chat model", Exit::plugin);
  }
}

}  // namespace

void teach_rewards(comm::World& world, RunPlugins& plugins, const StepBatch& mine) {
  if (!any_learns(plugins)) return;
  const json noted = mine.notes;
  json all = json::array();
  for (const auto& theirs : world.gather(noted.dump(-1, ' ', false, json::error_handler_t::replace))) {
    for (auto& group : json::parse(theirs)) all.push_back(std::move(group));
  }
  std::string text = all.dump();
  world.broadcast(text);
  world.together("score", [&] {
    all = json::parse(text);
    for (size_t i = 0; i < plugins.rewards().size(); ++i) {
      RewardTerm& term = plugins.rewards()[i];
      if (!term.learns) continue;
      std::vector<json> notes;
      for (const json& group : all) notes.push_back(group.empty() ? json() : group.at(i));  // none of one left out
      learn(term, notes);
    }
  });
}

void save_reward_states(comm::World& world, RunPlugins& plugins, const std::filesystem::path& folder) {
  if (!any_learns(plugins)) return;
  const json mine = states_of(plugins);
  const auto all = world.gather(mine.dump(-1, ' ', false, json::error_handler_t::replace));
  world.together("checkpoint", [&] {
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
