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

/// A dialogue that has been played, or why it could not be.
struct Played {
  nlohmann::json record;  ///< the profile with "emo_point", "emo_state", "history" as published, and "turns"
  Trajectory trajectory;
  std::string refusal;  ///< "", or who failed: "supporter: no answer", "planning: malformed answer"
  int64_t refused = 0;  ///< answers of the simulator that could not be read, and were asked for again
  int64_t silent = 0;   ///< answers of the supporter without a reply: the seeker heard `silence`
};

/// Plays the seeker against the model under test. The simulator is asked twice a round: what the reply does to the
/// seeker, then what they say.
class Simulator {
 public:
  Simulator(const Settings& settings, Host& host);

  /// Plays profiles that miss nothing (trajectory.h), side by side: each round, one batch for the supporter, two for
  /// the simulator.
  std::vector<Played> play(const std::vector<nlohmann::json>& profiles, const Supporter& supporter) const;

  const Rules& rules() const { return rules_; }
  /// For `Stage::ingredients`.
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
