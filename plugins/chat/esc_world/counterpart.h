#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "chat/esc_world/parsed_prompt.h"
#include "chat/esc_world/player.h"
#include "datasets/esc_world/world/play.h"

namespace compeer::esc_world {

/// ESC-Eval's seven dimensions, by their upstream keys, in the order of the paper's table.
inline constexpr std::array<std::string_view, 7> dimensions = {"fluency", "diversity", "empathic", "suggestion",
                                                               "human",   "tech",      "overall"};

/// How a supporter did in answered rounds, by the truth, in [0, 1]: the mean over the replies of
///
///   fluency     1 if the grammar knows the reply
///   diversity   from the second reply on: half for the share of its sentences that are new in the dialogue, half for a
///               strategy (or generic comfort) that is new; of a single reply, 1
///   empathic    attunement: 1 the seeker's emotion, 0.5 a safe sentence instead, 0.25 none, 0 another emotion
///   suggestion  half for an act, half for the subject it names: 1 the seeker's, 0.25 none, 0 another
///   human       style: 1 the seeker's, 0.5 none, 0 another or an artificial phrase
///   tech        the act's strategy: 1 good at this moment, 0.4 a near miss, 0 else, and without an act
///   overall     felt quality
///
/// A reply that the grammar does not know has 0 everywhere. Throws std::invalid_argument for another dimension.
double rating(std::string_view dimension, const std::vector<Round>& rounds);

/// As a judge says it: 0 to 4, the nearest, half up.
int score_of(double rating);

/// Whom evaluations need beside the model that is tested: the seeker, as ESC-Eval's role player or SAGE's simulator,
/// and the judge. All follow from the supporter's replies that are shown (play.h).
class Counterpart {
 public:
  Counterpart(const WorldSettings& world, const Profile& profile) : world_(world), profile_(profile) {}

  /// Of tasks that `plays` names. Throws std::runtime_error if what the seeker is shown to have said is not what the
  /// case's seeker says, as when the world is another.
  std::string answer(const ParsedPrompt& asked, const Player::Uniform& uniform) const;
  static bool plays(Task task);

 private:
  std::vector<Round> rounds(const ParsedPrompt& asked) const;
  std::string planning(const std::vector<Round>& rounds) const;
  std::string score(const ParsedPrompt& asked, std::vector<Round> rounds, const Player::Uniform& uniform) const;

  const WorldSettings& world_;
  const Profile& profile_;
};

}  // namespace compeer::esc_world
