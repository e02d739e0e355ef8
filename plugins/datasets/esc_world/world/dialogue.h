#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/truth.h"
#include "datasets/esc_world/world/writer.h"

// The generated data set esc_world: dialogues between a rule-based seeker, a person in need of emotional support, and a
// scripted supporter, the writer. The seeker's state and the quality of any reply are known; they are the truth of an
// example. So models can be trained and judged without annotators. Everything is computed on request from a split and
// an index. A round is an utterance of the seeker and the reply to it; rounds count from 0.

namespace compeer::esc_world {

/// Parameters of a generated world. docs/esc_world.md gives the reasons for the defaults.
struct WorldSettings {
  std::string language = "en";  ///< language of the texts; only "en" exists
  uint64_t seed = 0;            ///< seed of all random numbers of the world; independent of the run's seed
  /// Probability that a hint at the seeker's state in an utterance misleads: missing, ambiguous or wrong.
  double ambiguity = 0.15;
  QualitySettings feelings;  ///< how much repetition and generic comfort count
  int rounds = 3;            ///< maximum number of the seeker's utterances in a dialogue
  Writer writer;             ///< the scripted supporter, with errors and habits
  double habit_share = 1;    ///< fraction of dialogues written by `writer`; an expert without errors writes the others
};

/// A turn of a dialogue.
struct WorldTurn {
  std::string role;  ///< "user" (the seeker) or "assistant" (the supporter)
  std::string text;  ///< the utterance or the reply, without reasoning steps
};

/// An example for training: a dialogue up to an utterance of the seeker, and a writer's completion for it.
struct WorldSample {
  std::string id;                  ///< "esc_world/train/000123/2": split, index of the dialogue, round
  std::vector<WorldTurn> history;  ///< ends with the seeker's utterance
  std::string answer;              ///< the completion: three reasoning steps in tags, then the reply
  nlohmann::json record;           ///< the Truth as JSON, and "writer" (its name)
};

/// Returns the example of dialogue `index` of a split ("train", "valid" or "test"): each dialogue gives one, in a round
/// drawn at random, early rounds somewhat more often. Depends only on the arguments.
WorldSample sample(const WorldSettings& world, const std::string& split, uint32_t index);

/// A whole dialogue of `WorldSettings::rounds` rounds.
struct WorldDialogue {
  std::string id;                ///< "esc_world/train/000123"
  std::vector<WorldTurn> turns;  ///< the seeker's and the supporter's in turn; the seeker begins
  std::vector<Truth> truths;     ///< [round]: the truth for judging the reply of the round
  std::string writer;            ///< name of the writer: "expert" or "habit"
};

/// Returns dialogue `index` of a split. `sample` returns the beginning of the same dialogue. Depends only on the
/// arguments.
WorldDialogue dialogue(const WorldSettings& world, const std::string& split, uint32_t index);

/// A parsed id: a dialogue (esc_world/train/000123), a round of it (.../2), or a record made from the round
/// (.../2/...).
struct WorldId {
  std::string split;      ///< "train", "valid" or "test"
  uint32_t dialogue = 0;  ///< index of the dialogue in its split
  int round = -1;         ///< from 0; -1: the id is that of the whole dialogue
};

/// Parses the id of a sample, a dialogue or a record made from them; empty if it is not one of esc_world.
std::optional<WorldId> named(std::string_view id);

/// Returns the default settings for the writer of this name: "expert" makes no errors, "habit" makes all kinds of
/// errors and has habits, "mixed" uses "habit" for three of four dialogues and "expert" for the others. Throws
/// std::invalid_argument for another name.
WorldSettings default_world(const std::string& writer = "mixed");

/// Converts the settings of the dataset plugin esc_world, a JSON object by the keys of its descriptor. Missing keys get
/// their defaults. Throws std::invalid_argument for an unknown writer.
WorldSettings parse_world_settings(const nlohmann::json& settings);

}  // namespace compeer::esc_world
