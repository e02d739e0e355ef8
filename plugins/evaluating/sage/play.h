#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluating/sage/answers.h"
#include "evaluating/sage/trajectory.h"
#include "evaluating/supporter.h"
#include "stages/asking.h"

namespace compeer::evaluating::sage {

/// A played dialogue, or the reason why it failed.
struct Played {
  nlohmann::json record;  ///< the profile, with "emo_point", "emo_state" and "history" as published, and "turns"
  Trajectory trajectory;
  /// Why it failed, as in "supporter: no answer" or "planning: malformed answer"; empty if it did not.
  std::string refusal;
  int64_t refused = 0;  ///< malformed answers of the simulator to all dialogues of a request, counted in one of them
  int64_t silent = 0;   ///< number of the supporter's answers without a reply, replaced by `silence`
};

/// A simulated seeker in a dialogue with the model under test. Each round has two requests to the simulator: how the
/// reply changes the seeker's emotion, and what the seeker says.
class Simulator {
 public:
  /// Keeps references to the chat model and `host`. Throws Error (exit 4) if a prompt is missing or has other slots.
  Simulator(const Settings& settings, Host& host);

  /// Plays complete profiles (`missing_in`) in parallel: in each round one batch of requests to the supporter and two
  /// to the simulator. Throws Error (exit 4) if there is a profile but no simulator or supporter.
  std::vector<Played> play(const std::vector<nlohmann::json>& profiles, const Supporter& supporter) const;

  const Rules& rules() const { return rules_; }
  /// Returns hashes of the prompts, for Stage::cache_key.
  std::string prompts() const { return planning_.hashes() + reply_.hashes(); }

 private:
  struct Scene;
  void feel(const std::vector<Scene*>& open) const;
  void speak(const std::vector<Scene*>& open) const;
  void ask(const std::vector<Scene*>& open, std::vector<stages::ChatQuestion>& questions, const char* what) const;
  std::map<std::string, std::string> shown(const Scene& scene) const;

  OptionalChat chat_;
  Rules rules_;
  stages::Asking asking_;
  stages::StagePrompt planning_, reply_;
};

}  // namespace compeer::evaluating::sage
