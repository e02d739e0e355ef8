#pragma once
#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/lexicon.h"

namespace compeer::esc_world {

/// What a seeker hopes for, never said: it decides how long each stage lasts.
enum class Need { be_heard, understand, find_a_way };

/// A seeker before one utterance. This is the truth that labels are read from; utterances only hint at it.
struct Seeker {
  int subject = 0;  ///< 0 ... subjects - 1; fixed, like style and need
  Style style = Style::dominance;
  Need need = Need::be_heard;
  Stage stage = Stage::exploration;
  Emotion emotion = Emotion::sadness;
  int intensity = 3;  ///< 1-5

  bool operator==(const Seeker&) const = default;
};

/// The seeker of a dialogue at its first utterance.
Seeker first(DrawKey place);

/// The seeker of `place.round` (>= 1), after a reply of that quality in [0, 1]: good replies move the talk on and
/// ease the feeling, poor ones don't. Stages can also fall back.
Seeker after(const Seeker& before, double quality, DrawKey place);

}  // namespace compeer::esc_world
