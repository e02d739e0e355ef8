#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluating/esc_eval/transcript.h"
#include "evaluating/supporter.h"
#include "stages/asking.h"

namespace compeer::evaluating::esc_eval {

/// A dialogue that has been played, or why it could not be.
struct Talk {
  Transcript transcript;  ///< its refusal: "role player: no answer", "supporter: no answer", ...
  int64_t silent = 0;     ///< times that the tested model's answer held no reply
};

/// Lets a chat model play cards. To the role player, who has the card and is greeted, the tested model is the user; the
/// tested model sees neither card nor greeting.
class RolePlayer {
 public:
  RolePlayer(const Settings& settings, Host& host);

  /// Plays records with cards, side by side: each round one batch for the role player, one for the supporter. Records
  /// have "id" and "language".
  std::vector<Talk> play(const std::vector<const nlohmann::json*>& records, const Supporter& supporter) const;

  std::string model() const { return chat_.model(); }
  std::string prompts() const { return prompts_.hashes(); }  ///< for `Stage::ingredients`
  /// Notes who played, in the record's provenance.
  void note(nlohmann::json& record) const;

 private:
  struct Scene;
  void speak(const std::vector<Scene*>& open) const;
  ChatRequest request(const Scene& scene, uint32_t draw) const;

  OptionalChat chat_;
  stages::StagePrompt prompts_;
  int64_t rounds_, max_tokens_;
  double temperature_;
  int64_t tries_;
  std::string greeting_;  // "": the language's own
};

}  // namespace compeer::evaluating::esc_eval
