#pragma once
#include <string>

#include "chat/esc_world/parsed_prompt.h"
#include "chat/esc_world/player.h"
#include "datasets/esc_world/world/play.h"

namespace compeer::esc_world {

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
