#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/truth.h"
#include "datasets/esc_world/world/writer.h"

namespace compeer::esc_world {

/// What world it is. docs/esc_world.md lists the defaults and why they are what they are.
struct WorldSettings {
  std::string language = "en";
  uint64_t seed = 0;
  double ambiguity = 0.15;
  Feelings feelings;
  int rounds = 3;          ///< the longest history ends with the seeker's utterance of this round, counted from 1
  Writer writer;           ///< with errors and habits
  double habit_share = 1;  ///< share of dialogues that `writer` writes; an expert without errors writes the others
};

struct WorldTurn {
  std::string role;  ///< user (the seeker) or assistant (the supporter)
  std::string text;
};

/// One dialogue up to an utterance of the seeker, and a writer's answer to it.
struct WorldSample {
  std::string id;                  ///< esc_world/train/000123/2: split, dialogue, round
  std::vector<WorldTurn> history;  ///< ends with the seeker's utterance
  std::string answer;              ///< a completion in the format
  nlohmann::json record;           ///< `Truth`, with where it came from
};

/// The sample of dialogue `index` of a split ("train", "valid" or "test"); which round it is asked at is drawn too,
/// early ones somewhat more often. A pure function of its arguments.
WorldSample sample(const WorldSettings& world, const std::string& split, uint32_t index);

/// A whole dialogue: `WorldSettings::rounds` rounds, seeker and supporter in turn.
struct WorldDialogue {
  std::string id;  ///< esc_world/train/000123
  std::vector<WorldTurn> turns;
  std::vector<Truth> truths;  ///< one for each round: what its reply is to be judged by
  std::string writer;
};

/// Dialogue `index` of a split, whose first rounds are those of the sample: a pure function of its arguments.
WorldDialogue dialogue(const WorldSettings& world, const std::string& split, uint32_t index);

/// What an id of the world names: esc_world/train/000123, a round of it (.../2), or what was made of that (.../2/...).
struct WorldId {
  std::string split;
  uint32_t dialogue = 0;
  int round = -1;  ///< -1: the whole dialogue
};

/// Nothing if it is no id of the world.
std::optional<WorldId> named(std::string_view id);

/// The default world, with a writer: "expert" makes no mistakes; "habit" makes them all and has its habits;
/// "mixed" has three of four dialogues written by the second and the others by the first.
/// Throws std::invalid_argument for another name.
WorldSettings usual(const std::string& writer = "mixed");

/// The world of a table of settings, named as in the plugin's descriptor. A key that is missing has its default.
WorldSettings world_of(const nlohmann::json& settings);

}  // namespace compeer::esc_world
