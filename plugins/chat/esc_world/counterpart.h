#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "chat/esc_world/parsed_prompt.h"
#include "chat/esc_world/player.h"
#include "datasets/esc_world/world/play.h"

// Scripted seekers and judges for evaluations (ESC-Eval, SAGE) on dialogues of a generated world, part of the chat
// plugin `esc_world`. The world's grammar parses a supporter's replies, and the known state of the seeker determines
// their true quality. A round is an utterance of the seeker and the supporter's reply.

namespace compeer::esc_world {

/// The seven dimensions of ESC-Eval by their published keys, in the order of its Table 2.
inline constexpr std::array<std::string_view, 7> dimensions = {"fluency", "diversity", "empathic", "suggestion",
                                                               "human",   "tech",      "overall"};

/// Returns the true quality of a supporter in one of `dimensions`, in [0, 1]: the mean over the replies in `rounds` of
/// the value below. An act is the sentence of a reply that carries out a strategy; attunement is a sentence that names
/// an emotion; felt quality is the quality as the seeker perceives it.
///
///   fluency     1 if the grammar can parse the reply
///   diversity   from the second reply on: half the fraction of its sentences that are new in the dialogue, plus half
///               if its strategy (or generic comfort) is new; for a single reply 1
///   empathic    attunement: 1 to the seeker's emotion, 0.5 a safe sentence, 0.25 none, 0 to another emotion
///   suggestion  half for an act, half for its subject: 1 the seeker's, 0.25 none, 0 another
///   human       style: 1 the seeker's, 0.5 none, 0 another style or an artificial phrase
///   tech        strategy of the act: 1 right at this moment, 0.4 nearly right, 0 otherwise or without an act
///   overall     the felt quality
///
/// A reply that the grammar can't parse counts 0. Throws std::invalid_argument for another dimension.
double rating(std::string_view dimension, const std::vector<Round>& rounds);

/// Converts a rating in [0, 1] to a score from 0 to 4, rounded half up.
int score_of(double rating);

/// The scripted chat models that evaluations need in addition to the tested model: the seeker (ESC-Eval's role player,
/// SAGE's simulator) and the judge. Their answers depend on the quality of the supporter's replies. Keeps references to
/// `world` and `profile`, the error rates.
class ScriptedSeeker {
 public:
  ScriptedSeeker(const WorldSettings& world, const Profile& profile) : world_(world), profile_(profile) {}

  /// Returns the answer to the prompt `asked`; `plays` must be true for its task. `uniform(n)`: returns the n-th random
  /// number in [0, 1). Throws std::runtime_error if the seeker's turns in the prompt are not those of the dialogue with
  /// its id, for example because the world settings differ.
  std::string answer(const ParsedPrompt& asked, const Player::Uniform& uniform) const;
  /// Returns true for the tasks that this class answers: role, sage_planning, sage_reply and rating.
  static bool plays(Task task);

 private:
  // Replays the dialogue in the prompt and returns its rounds; the last one has no reply yet.
  std::vector<Round> rounds(const ParsedPrompt& asked) const;
  // Returns the answer to sage_planning: the effect of the last reply, and the change of emotion in points.
  std::string planning(const std::vector<Round>& rounds) const;
  // Returns the answer to rating: a score from 0 to 4 with random errors.
  std::string score(const ParsedPrompt& asked, std::vector<Round> rounds, const Player::Uniform& uniform) const;

  const WorldSettings& world_;
  const Profile& profile_;
};

}  // namespace compeer::esc_world
