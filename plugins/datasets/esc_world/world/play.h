#pragma once
#include <optional>
#include <string>
#include <vector>

#include "datasets/esc_world/world/dialogue.h"

namespace compeer::esc_world {

/// A reply as the seeker perceives it, without the steps behind it.
struct PerceivedReply {
  std::optional<Reply> reply;     ///< empty if the grammar can't parse it
  std::vector<std::string> keys;  ///< keys of its sentences (reply.h)
  double felt = 0;                ///< felt quality (quality.h), reduced by earlier repetitions; 0 if not parsed
};

/// A dialogue in progress with any supporter. The seeker's next state depends on the dialogue's address in the world
/// and on the quality of each reply.
class Play {
 public:
  /// Starts dialogue `index`. Keeps a reference to `world`. Throws std::invalid_argument for an unknown split.
  Play(const WorldSettings& world, const std::string& split, uint32_t index);

  /// Return the hidden state before the current utterance, its address in the world, and the lexicon.
  const Truth& truth() const { return truth_; }
  const RandomAddress& place() const { return place_; }
  const Lexicon& words() const { return words_; }

  std::string utterance() const;  ///< returns the seeker's current utterance
  /// Returns how the seeker perceives a reply; does not change the state.
  PerceivedReply hear(const std::string& reply) const;
  /// Continues with the next round after a reply with these sentences and this quality.
  void advance(const std::vector<std::string>& keys, double quality);

 private:
  const WorldSettings& world_;
  const Lexicon& words_;
  RandomAddress place_;
  Truth truth_;
};

/// A round: the seeker's state and utterance, and the reply as the seeker perceives it.
struct Round {
  Truth truth;
  std::string utterance;
  PerceivedReply heard;  ///< empty in the last round, which has no reply
};

/// Returns the rounds with these replies, and the one that follows. Depends only on the arguments.
std::vector<Round> played(const WorldSettings& world, const std::string& split, uint32_t index,
                          const std::vector<std::string>& replies);

/// A seeker before the dialogue begins, in the world's words: a role card for ESC-Eval and a profile for SAGE.
struct Scenario {
  std::string id;          ///< "esc_world/test/000012", the dialogue's id
  std::string problem;     ///< "work"
  std::string style;       ///< "dominance"
  std::string card;        ///< lines with problem, manner, feeling and intention
  std::string player;      ///< the style, and how such a person begins
  std::string scene;       ///< what happened and how the seeker feels
  std::string task;        ///< the need, which the seeker never mentions
  std::string first_talk;  ///< the first utterance of the dialogue
};

/// Returns the scenario of dialogue `index` of a split. Depends only on the arguments.
Scenario scenario(const WorldSettings& world, const std::string& split, uint32_t index);

}  // namespace compeer::esc_world
