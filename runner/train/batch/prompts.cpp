#include "train/batch/prompts.h"

#include <algorithm>

namespace compeer::train {

namespace {

bool is_system(const std::vector<Turn>& turns) { return !turns.empty() && turns.front().role == "system"; }

// Where what is left of the turns may begin, once the first are gone: not with an answer to what nobody sees.
std::vector<ptrdiff_t> beginnings(const std::vector<Turn>& turns, ptrdiff_t first) {
  std::vector<ptrdiff_t> all;
  for (ptrdiff_t i = first + 1; i < std::ssize(turns); ++i) {
    if (turns[static_cast<size_t>(i)].role != "assistant" || i + 1 == std::ssize(turns)) all.push_back(i);
  }
  return all;
}

}  // namespace

RecordPrompts::RecordPrompts(const RunPlugins& plugins, const Settings& dataset)
    : plugins_(plugins),
      system_(dataset.has("system") ? std::optional(dataset.text("system")) : std::nullopt),
      positions_(plugins.positions()),
      most_(dataset.has("max_prompt_tokens") ? dataset.integer("max_prompt_tokens") : positions_),
      trims_(dataset.text("long_prompts") == "trim") {}

int64_t RecordPrompts::limit(int64_t after) const { return std::min(most_, positions_ - after); }

RecordPrompt RecordPrompts::read(const Example& example, std::vector<Turn> turns) const {
  auto pictures = plugins_.vision_input().read(turns, example.id);
  auto tokens = plugins_.vision_input().prompt(plugins_.chat(), turns, pictures, example.id);
  return {std::move(turns), std::move(pictures), std::move(tokens)};
}

RecordPrompt RecordPrompts::whole(const Example& example) const {
  auto turns = example.history;
  if (system_) {
    if (is_system(turns)) turns.erase(turns.begin());
    turns.insert(turns.begin(), {"system", *system_});
  }
  return read(example, std::move(turns));
}

RecordPrompt RecordPrompts::of(const Example& example, int64_t after) const {
  RecordPrompt all = whole(example);
  const int64_t most = limit(after);
  if (std::ssize(all.tokens) <= most) return all;
  all.fits = false;
  if (!trims_) return all;
  const auto first = static_cast<ptrdiff_t>(is_system(all.turns) ? 1 : 0);
  const auto from = [&](ptrdiff_t begin) {
    auto turns = all.turns;
    turns.erase(turns.begin() + first, turns.begin() + begin);
    auto rest = read(example, std::move(turns));
    rest.trimmed = true;
    return rest;
  };
  // Fewer turns have fewer tokens.
  const auto places = beginnings(all.turns, first);
  const auto begin = std::partition_point(places.begin(), places.end(),
                                          [&](ptrdiff_t one) { return std::ssize(from(one).tokens) > most; });
  return begin == places.end() ? all : from(*begin);
}

}  // namespace compeer::train
