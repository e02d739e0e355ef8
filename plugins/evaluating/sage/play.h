#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluating/sage/answers.h"
#include "evaluating/sage/trajectory.h"
#include "evaluating/supporter.h"
#include "stages/asking.h"

// Plays the dialogues of the evaluation SAGE. A chat model, the simulator, acts as a seeker (a person in need of
// emotional support) described by a profile; the model under test, the supporter, answers. The seeker's emotion is a
// number of points that rises and falls with the replies; the evaluation measures its course.

namespace compeer::evaluating::sage {

/// A played dialogue, or the reason why it failed.
struct Played {
  nlohmann::json record;  ///< the profile, with "emo_point", "emo_state" and "history" as published, and "turns"
  Trajectory trajectory;  ///< points after each of the seeker's utterances, and the ending
  /// Reason of the failure: "supporter: no answer", "planning: malformed answer"; empty if the dialogue did not fail.
  std::string refusal;
  /// Number of the simulator's malformed answers. Those of a batch are all counted in one of its dialogues, so only the
  /// sum over dialogues has a meaning.
  int64_t refused = 0;
  int64_t silent = 0;  ///< number of the supporter's answers without a reply, replaced by "..."
};

/// The chat model that plays the seekers, with its prompts and the rules. Each round after the first has two requests
/// to it: how the supporter's reply changes the seeker's emotion (planning), and the seeker's next utterance. The
/// profile gives the first utterance.
class Simulator {
 public:
  /// Opens the chat model of the setting `simulator`, if it is set, and its prompts. Keeps references to the chat model
  /// and `host`. Throws Error (exit code 4: invalid data) if a prompt is missing or has other slots than expected.
  Simulator(const Settings& settings, Host& host);

  /// Plays a dialogue for each profile, all in parallel, and returns them in the order of `profiles`. `missing_in` must
  /// accept each profile. Each round has one batch of requests to the supporter and two to the simulator. Throws Error
  /// (exit code 4) if there is a profile but no simulator or supporter.
  std::vector<Played> play(const std::vector<nlohmann::json>& profiles, const Supporter& supporter) const;

  /// Returns the rules by which points change and dialogues end.
  const Rules& rules() const { return rules_; }
  /// Returns hashes of the prompts. Part of the stage's cache key, which decides whether stored results may be reused.
  std::string prompts() const { return planning_.hashes() + reply_.hashes(); }

 private:
  // State of one dialogue: evaluating::Scene with the profile, the points and the simulator's last answers.
  struct Scene;
  // First batch of a round: how the supporter's last reply changes each seeker's emotion.
  void feel(const std::vector<Scene*>& open) const;
  // Second batch of a round: adds each seeker's next utterance and points, and ends dialogues by the rules.
  void speak(const std::vector<Scene*>& open) const;
  // Asks one question for each scene, in the same order, and sets the refusals of scenes without a valid answer.
  // `what`: "planning" or "reply", the first word of a refusal.
  void ask(const std::vector<Scene*>& open, std::vector<stages::ChatQuestion>& questions, const char* what) const;
  // Returns the values for the slots of both prompts: slot name -> text.
  std::map<std::string, std::string> shown(const Scene& scene) const;

  OptionalChat chat_;  // the simulator
  Rules rules_;
  stages::Asking asking_;         // temperature, token limit and attempts of its requests
  stages::StagePrompt planning_;  // prompt of the first request of a round
  stages::StagePrompt reply_;     // prompt of the second request of a round
};

}  // namespace compeer::evaluating::sage
