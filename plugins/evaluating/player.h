#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluating/supporter.h"

namespace compeer::evaluating {

/// A dialogue while it is played: a seeker, who begins, and the model under test.
struct Scene {
  nlohmann::json about;                                 ///< {"id", "language"}: fills prompts
  std::vector<Turn> turns = {};                         ///< what both have said
  nlohmann::json transcript = nlohmann::json::array();  ///< the same as a record's "turns"
  std::string refusal = {};                             ///< who failed and ended it: "supporter: no answer"; or ""
  int64_t silent = 0;                                   ///< answers without a reply, where the seeker heard `silence`
  bool over = false;

  bool open() const { return refusal.empty() && !over; }

  /// `turn`: {"role", "text", ...}
  void say(nlohmann::json turn) {
    turns.push_back({turn.at("role"), turn.at("text")});
    transcript.push_back(std::move(turn));
  }
};

/// Lets the model under test answer scenes in which the seeker has the last word.
void answer(const std::vector<Scene*>& open, const Supporter& supporter);

template <class OneScene>
void leave_open(std::vector<OneScene*>& scenes) {
  std::erase_if(scenes, [](const Scene* scene) { return !scene->open(); });
}

/// Plays scenes side by side until none is open. A round: `speak(open)` lets the seekers speak, the supporter answers,
/// and `answered(scene, round)`, for each scene with an answer, says whether that was the last one. Rounds count
/// from 1.
template <class OneScene, class Speak, class Answered>
void play(std::vector<OneScene>& scenes, const Supporter& supporter, Speak&& speak, Answered&& answered) {
  std::vector<OneScene*> open;
  for (OneScene& scene : scenes) open.push_back(&scene);
  leave_open(open);
  for (int64_t round = 1; !open.empty(); ++round) {
    speak(open), leave_open(open);
    answer({open.begin(), open.end()}, supporter), leave_open(open);
    for (OneScene* scene : open) scene->over = answered(*scene, round);
    leave_open(open);
  }
}

}  // namespace compeer::evaluating
