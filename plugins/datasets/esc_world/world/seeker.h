#pragma once
#include <string>

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

/// What the seeker says in the round of `place`: a marker of the style, the subject (always in round 0), a cue for
/// the emotion with its intensity, a cue for the stage.
///
/// `ambiguity` is the probability, for each of the two cues, that it misleads: a third each is left out, fits two
/// labels, or is another label's. The marker is left out with twice that probability. In round 0 no emotion cue is left
/// out, so that there is something to go by.
std::string utterance(const Seeker& seeker, const Lexicon& words, double ambiguity, const DrawKey& place);

}  // namespace compeer::esc_world
