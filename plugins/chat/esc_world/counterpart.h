#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "chat/esc_world/parsed_prompt.h"
#include "chat/esc_world/player.h"
#include "datasets/esc_world/world/play.h"

namespace compeer::esc_world {

/// The seven dimensions of ESC-Eval by their published keys, in the order of Table 2.
inline constexpr std::array<std::string_view, 7> dimensions = {"fluency", "diversity", "empathic", "suggestion",
                                                               "human",   "tech",      "overall"};

/// Returns the true quality of a supporter in one dimension, in [0, 1]: the mean over the replies in `rounds` of
///
///   fluency     1 if the grammar can parse the reply
///   diversity   from the second reply on: half the fraction of its sentences that are new in the dialogue, plus half
///               if its strategy (or generic comfort) is new; for a single reply 1
///   empathic    attunement: 1 to the seeker's emotion, 0.5 a safe sentence, 0.25 none, 0 to another emotion
///   suggestion  half for an act, half for its subject: 1 the seeker's, 0.25 none, 0 another
///   human       style: 1 the seeker's, 0.5 none, 0 another style or an artificial phrase
///   tech        strategy of the act: 1 right at this moment, 0.4 nearly right, 0 otherwise or without an act
///   overall     felt quality
///
/// A reply that the grammar can't parse counts 0. Throws std::invalid_argument for another dimension.
double rating(std::string_view dimension, const std::vector<Round>& rounds);

/// Converts a rating in [0, 1] to a score from 0 to 4, rounded half up.
int score_of(double rating);

/// The scripted chat models that evaluations need besides the tested model: the seeker (ESC-Eval's role player, SAGE's
/// simulator) and the judge. Their answers follow from the supporter's replies (play.h). Keeps references to `world`
/// and `profile`.
class ScriptedSeeker {
 public:
  ScriptedSeeker(const WorldSettings& world, const Profile& profile) : world_(world), profile_(profile) {}

  /// Returns the answer to a prompt; its task must be one that `plays` accepts. Throws std::runtime_error if the
  /// seeker's turns in the prompt are not those of the case, for example because the world settings differ.
  std::string answer(const ParsedPrompt& asked, const Player::Uniform& uniform) const;
  /// Returns true for role, sage_planning, sage_reply and rating.
  static bool plays(Task task);

 private:
  std::vector<Round> rounds(const ParsedPrompt& asked) const;
  std::string planning(const std::vector<Round>& rounds) const;
  std::string score(const ParsedPrompt& asked, std::vector<Round> rounds, const Player::Uniform& uniform) const;

  const WorldSettings& world_;
  const Profile& profile_;
};

}  // namespace compeer::esc_world
