#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluating/esc_eval/transcript.h"
#include "evaluating/supporter.h"
#include "stages/asking.h"

// Plays the dialogues of the evaluation ESC-Eval: a chat model, the role player, acts as a seeker (a person in need of
// emotional support) and the model under test, the supporter, answers. A role card in a record (an entry of a data
// file) describes the seeker.

namespace compeer::evaluating::esc_eval {

/// A played dialogue, or the reason why it failed.
struct Talk {
  Transcript transcript;  ///< the turns; its `refusal` is the reason of a failure: "role player: no answer"
  int64_t silent = 0;     ///< number of the tested model's answers without a reply, replaced by "..."
};

/// A chat model that plays the seeker described by a card. In the requests to the role player the tested model has the
/// role of the user and begins with a greeting. The tested model receives neither the card nor the greeting.
class RolePlayer {
 public:
  /// Opens the chat model of the setting `role_player`, if it is set, and its prompt. Keeps references to the chat
  /// model and `host`. Throws Error (exit code 4: invalid data) if the prompt is missing or has other slots than
  /// expected.
  RolePlayer(const Settings& settings, Host& host);

  /// Plays a dialogue for the card of each record, all in parallel, and returns them in the order of `records`. Each
  /// round is one batch of requests to the role player and one to the supporter. Records need "id" and "language".
  /// Throws Error (exit code 4) if there is a record but no role player or supporter.
  std::vector<Talk> play(const std::vector<const nlohmann::json*>& records, const Supporter& supporter) const;

  /// Returns the name of the role player's model, or "" if none is set.
  std::string model() const { return chat_.model(); }
  /// Returns the hashes of the prompt. Part of the stage's cache key, which decides whether stored results may be
  /// reused.
  std::string prompts() const { return prompts_.hashes(); }
  /// Adds the name of the role player's model and the hash of its prompt to the record's provenance.
  void note(nlohmann::json& record) const;

 private:
  // State of one dialogue: evaluating::Scene with the role player's system turn and greeting.
  struct Scene;
  // Adds the seeker's next turn to each scene, or its refusal. Empty answers are requested again, up to `tries_` times.
  void speak(const std::vector<Scene*>& open) const;
  // Returns the request for the seeker's next turn; `draw`: sample index, different values give
  // different answers.
  ChatRequest request(const Scene& scene, uint32_t draw) const;

  OptionalChat chat_;            // the role player
  stages::StagePrompt prompts_;  // its system message, with the card
  int64_t rounds_;               // the supporter's turns in each dialogue
  int64_t max_tokens_;           // per answer of the role player
  double temperature_;           // sampling temperature of the role player; 0: greedy decoding
  int64_t tries_;                // attempts per turn of the role player
  std::string greeting_;         // first message to the role player; "": a default in the record's language
};

}  // namespace compeer::evaluating::esc_eval
