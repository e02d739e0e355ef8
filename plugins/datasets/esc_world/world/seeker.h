#pragma once
#include <string>

#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/lexicon.h"

namespace compeer::esc_world {

/// A seeker's unspoken goal, which determines how long each stage lasts.
enum class Need { be_heard, understand, find_a_way };

/// The hidden state of a seeker before an utterance. Labels are derived from it; utterances only give cues.
struct Seeker {
  int subject = 0;  ///< 0 ... subjects - 1; constant, like style and need
  Style style = Style::dominance;
  Need need = Need::be_heard;
  Stage stage = Stage::exploration;
  Emotion emotion = Emotion::sadness;
  int intensity = 3;  ///< 1 to 5

  bool operator==(const Seeker&) const = default;
};

/// Returns the seeker at the first utterance of a dialogue.
Seeker first(RandomAddress place);

/// Returns the seeker in round `place.round` (>= 1) after a reply of quality `quality` in [0, 1]. Good replies advance
/// the stage more often and reduce the intensity, poor ones may raise it. The stage can also fall back.
Seeker after(const Seeker& before, double quality, RandomAddress place);

/// Returns the seeker's utterance in round `place.round`: a marker of the style, the subject (always in round 0), a cue
/// for the emotion with its intensity, and a cue for the stage.
///
/// `ambiguity` is the probability that each of the two cues misleads: one third each, it is missing, fits two labels,
/// or belongs to another label. The marker is missing with twice that probability. In round 0 the emotion cue is never
/// missing.
std::string utterance(const Seeker& seeker, const Lexicon& words, double ambiguity, const RandomAddress& place);

}  // namespace compeer::esc_world
