#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chat/esc_world/player.h"

namespace compeer::esc_world {

/// Plays the supporter: one of the world's writers, who knows the truth of the case. Nobody tells it the case; it is
/// found by what the seeker has said.
class Support {
 public:
  /// Knows dialogues 0 ... count - 1 of a split. Keeps `world` and `profile`.
  Support(const WorldSettings& world, const Profile& profile, const std::string& split, uint32_t count);

  /// A completion, steps and reply, for the dialogue so far; nothing if no known dialogue began and went on like this.
  /// Of several that did, the first is answered.
  std::optional<std::string> answer(const std::vector<WorldTurn>& lines, uint32_t draw) const;

 private:
  std::optional<std::string> answer_as(uint32_t index, const std::vector<WorldTurn>& lines, uint32_t draw) const;

  const WorldSettings& world_;
  const Profile& profile_;
  std::string split_;
  std::multimap<std::string, uint32_t> known_;  // by the first utterance
};

}  // namespace compeer::esc_world
