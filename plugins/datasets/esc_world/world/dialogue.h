#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/truth.h"
#include "datasets/esc_world/world/writer.h"

namespace compeer::esc_world {

/// Parameters of a world. docs/esc_world.md lists the defaults and their reasons.
struct WorldSettings {
  std::string language = "en";
  uint64_t seed = 0;
  /// Probability that a cue in an utterance misleads (utterance in seeker.h).
  double ambiguity = 0.15;
  QualitySettings feelings;
  int rounds = 3;          ///< maximum number of the seeker's utterances in a dialogue
  Writer writer;           ///< the supporter, with errors and habits
  double habit_share = 1;  ///< fraction of dialogues written by `writer`; an expert without errors writes the others
};

struct WorldTurn {
  std::string role;  ///< "user" (the seeker) or "assistant" (the supporter)
  std::string text;
};

/// A dialogue up to an utterance of the seeker, and a writer's completion for it.
struct WorldSample {
  std::string id;                  ///< "esc_world/train/000123/2": split, dialogue, round
  std::vector<WorldTurn> history;  ///< ends with the seeker's utterance
  std::string answer;              ///< a completion in the format (empathy/format.h)
  nlohmann::json record;           ///< the Truth, and "writer"
};

/// Returns the sample of dialogue `index` of a split ("train", "valid" or "test"). Its round is drawn at random, early
/// rounds somewhat more often. Depends only on the arguments.
WorldSample sample(const WorldSettings& world, const std::string& split, uint32_t index);

/// A whole dialogue of `WorldSettings::rounds` rounds.
struct WorldDialogue {
  std::string id;  ///< "esc_world/train/000123"
  std::vector<WorldTurn> turns;
  std::vector<Truth> truths;  ///< one for each round: the truth its reply is judged by
  std::string writer;
};

/// Returns dialogue `index` of a split. Its first rounds are those of the sample. Depends only on the arguments.
WorldDialogue dialogue(const WorldSettings& world, const std::string& split, uint32_t index);

/// A parsed id: esc_world/train/000123, a round of that dialogue (.../2), or a record made from it (.../2/...).
struct WorldId {
  std::string split;
  uint32_t dialogue = 0;
  int round = -1;  ///< -1: the whole dialogue
};

/// Parses an id; empty if it does not belong to the world.
std::optional<WorldId> named(std::string_view id);

/// Returns the default world with a writer: "expert" makes no errors, "habit" makes all kinds of errors and has habits,
/// "mixed" uses "habit" for three of four dialogues and "expert" for the others. Throws std::invalid_argument for
/// another name.
WorldSettings default_world(const std::string& writer = "mixed");

/// Parses world settings; the keys are those of the plugin's descriptor. Missing keys get their defaults.
WorldSettings parse_world_settings(const nlohmann::json& settings);

}  // namespace compeer::esc_world
