#pragma once
#include <optional>
#include <string>
#include <vector>

#include "datasets/esc_world/world/dialogue.h"

namespace compeer::esc_world {

/// What a reply is to the seeker who hears it, and hears nothing of the steps behind it.
struct Heard {
  std::optional<Reply> reply;     ///< nothing, if the grammar does not know it
  std::vector<std::string> keys;  ///< of its sentences
  double felt = 0;                ///< `felt` (quality.h), with habituation to all that was said before; 0 if unknown
};

/// A dialogue as it unfolds, whoever supports: the seeker's next moment follows from the dialogue's place in the world
/// and from how each reply was received.
class Play {
 public:
  /// The first moment of dialogue `index`. Keeps `world`. Throws std::invalid_argument for a split there is not.
  Play(const WorldSettings& world, const std::string& split, uint32_t index);

  const Truth& truth() const { return truth_; }
  const DrawKey& place() const { return place_; }
  const Lexicon& words() const { return words_; }

  std::string utterance() const;  ///< what the seeker says now
  Heard hear(const std::string& reply) const;
  void go_on(const std::vector<std::string>& keys, double quality);

 private:
  const WorldSettings& world_;
  const Lexicon& words_;
  DrawKey place_;
  Truth truth_;
};

/// A round: the seeker's state, what they said, and how they took the reply.
struct Round {
  Truth truth;
  std::string utterance;
  Heard heard;  ///< of the last round, which nobody has answered, empty
};

/// The rounds that these replies were given in, and the one that follows: a pure function of its arguments.
std::vector<Round> played(const WorldSettings& world, const std::string& split, uint32_t index,
                          const std::vector<std::string>& replies);

/// Somebody who will talk, before anything is said: what ESC-Eval shows a role player as a card, and SAGE a simulator
/// as a profile, in the world's words.
struct Scenario {
  std::string id;          ///< esc_world/test/000012, as the dialogue's
  std::string problem;     ///< "work"
  std::string style;       ///< "dominance"
  std::string card;        ///< lines: problem, manner, feeling, what they are up to
  std::string player;      ///< who it is: the style, and how such a person begins
  std::string scene;       ///< what happened, and how they feel
  std::string task;        ///< the need, which is never said
  std::string first_talk;  ///< the dialogue's first utterance
};

/// The scenario of dialogue `index` of a split: a pure function of its arguments.
Scenario scenario(const WorldSettings& world, const std::string& split, uint32_t index);

}  // namespace compeer::esc_world
