#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluating/esc_eval/transcript.h"
#include "evaluating/supporter.h"
#include "stages/asking.h"

namespace compeer::evaluating::esc_eval {

/// A played dialogue, or the reason why it failed.
struct Talk {
  Transcript transcript;  ///< `refusal`: why it failed, as in "role player: no answer"
  int64_t silent = 0;     ///< number of the tested model's answers without a reply
};

/// A chat model that plays the seeker described by a card. In the requests to the role player the tested model has the
/// role of the user and begins with a greeting. The tested model receives neither the card nor the greeting.
class RolePlayer {
 public:
  /// Keeps references to the chat model and `host`. Throws Error (exit 4) if a prompt is missing or has other slots.
  RolePlayer(const Settings& settings, Host& host);

  /// Plays records with cards in parallel: in each round one batch of requests to the role player and one to the
  /// supporter. Records need "id" and "language". Throws Error (exit 4) if there is a record but no role player or
  /// supporter.
  std::vector<Talk> play(const std::vector<const nlohmann::json*>& records, const Supporter& supporter) const;

  std::string model() const { return chat_.model(); }
  std::string prompts() const { return prompts_.hashes(); }  ///< hashes, for Stage::cache_key
  /// Adds the role player and its prompt to the record's provenance.
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
  std::string greeting_;  // "": a default greeting in the record's language
};

}  // namespace compeer::evaluating::esc_eval
