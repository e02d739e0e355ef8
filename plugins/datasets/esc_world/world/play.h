#pragma once
#include <optional>
#include <string>
#include <vector>

#include "datasets/esc_world/world/dialogue.h"

// Dialogues in progress in the generated world of the data set esc_world, for any supporter: a scripted one, a model,
// or a person. The seeker, a person in need of emotional support, follows rules. Its hidden state and the effect of
// each reply are known. Reasoning steps of a supporter are not part of a reply.

namespace compeer::esc_world {

/// A reply of the supporter as the seeker perceives it.
struct PerceivedReply {
  std::optional<Reply> reply;     ///< its sentences; empty if they are not in the world's grammar
  std::vector<std::string> keys;  ///< names of its sentences: "act/question/3"; empty like `reply`
  double felt = 0;                ///< quality that the seeker feels, in [0, 1]; 0 without `reply`
};

/// A dialogue in progress. The seeker's next state depends on the dialogue's place in the world (seed, split, index,
/// round) and on the quality of each reply.
class Play {
 public:
  /// Starts dialogue `index` of a split ("train", "valid" or "test"). Keeps a reference to `world`. Throws
  /// std::invalid_argument for an unknown split.
  Play(const WorldSettings& world, const std::string& split, uint32_t index);

  /// Returns the seeker's hidden state at the current utterance, and the earlier replies.
  const Truth& truth() const { return truth_; }
  /// Returns the address of the current round's random numbers.
  const RandomAddress& place() const { return place_; }
  /// Returns the words of the world's language.
  const Lexicon& words() const { return words_; }

  std::string utterance() const;  ///< returns the seeker's current utterance
  /// Returns how the seeker perceives a reply to the current utterance. Does not change the state.
  PerceivedReply hear(const std::string& reply) const;
  /// Moves to the next round after a reply. `keys`: names of its sentences, as in PerceivedReply; `quality`: its effect
  /// on the seeker, in [0, 1].
  void advance(const std::vector<std::string>& keys, double quality);

 private:
  const WorldSettings& world_;
  const Lexicon& words_;
  RandomAddress place_;  // of the current round
  Truth truth_;          // in the current round
};

/// A round of a dialogue: the seeker's state and utterance, and the reply to it.
struct Round {
  Truth truth;            ///< the seeker's hidden state, and the earlier replies
  std::string utterance;  ///< the seeker's utterance
  PerceivedReply heard;   ///< the reply; empty in the last round, which has no reply
};

/// Returns the rounds of dialogue `index` of a split with these replies, and the round that follows the last reply.
/// Depends only on the arguments.
std::vector<Round> played(const WorldSettings& world, const std::string& split, uint32_t index,
                          const std::vector<std::string>& replies);

/// Description of a seeker before the dialogue begins, for chat models that play it in the evaluations ESC-Eval (field
/// `card`) and SAGE (fields `player`, `scene`, `task` and `first_talk`).
struct Scenario {
  std::string id;          ///< "esc_world/test/000012", the dialogue's id
  std::string problem;     ///< name of the problem: "work"
  std::string style;       ///< name of the DISC style: "dominance"
  std::string card;        ///< role card: lines with problem, manner, feeling and intention
  std::string player;      ///< manner of a person of this style, and first words
  std::string scene;       ///< the event and the seeker's feeling
  std::string task;        ///< the seeker's unspoken goal
  std::string first_talk;  ///< the first utterance of the dialogue
};

/// Returns the scenario of dialogue `index` of a split. Depends only on the arguments.
Scenario scenario(const WorldSettings& world, const std::string& split, uint32_t index);

}  // namespace compeer::esc_world
