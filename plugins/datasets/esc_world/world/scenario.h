#pragma once
#include <string>

#include "datasets/esc_world/world/dialogue.h"

namespace compeer::esc_world {

/// Somebody who will talk, before anything is said: what ESC-Eval shows a role player as a card, and SAGE a simulator
/// as a profile, in the world's words.
struct Scenario {
  std::string id;          ///< esc_world/test/000012, as the dialogue's
  std::string problem;     ///< "work"
  std::string style;       ///< "dominance"
  std::string card;        ///< lines: problem, manner, feeling, what they are up to
  std::string player;      ///< who it is: the style, and how such a person begins
  std::string scene;       ///< what happened, and how they feel
  std::string task;        ///< the need, which is never said
  std::string first_talk;  ///< the dialogue's first utterance
};

/// The scenario of dialogue `index` of a split: a pure function of its arguments.
Scenario scenario(const WorldSettings& world, const std::string& split, uint32_t index);

}  // namespace compeer::esc_world
