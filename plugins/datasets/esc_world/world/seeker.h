#pragma once
#include <string>

#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/lexicon.h"

// The rule-based seeker in the generated world of the data set esc_world: a person in need of emotional support, with a
// hidden state that changes with the quality of the supporter's replies. A cue is a sentence of the seeker that hints
// at a part of the state. A round is an utterance of the seeker and the reply to it; rounds count from 0.

namespace compeer::esc_world {

/// A seeker's unspoken goal. It makes some stages of the dialogue last longer.
enum class Need {
  be_heard,    ///< attention and sympathy; longer comforting
  understand,  ///< to understand the situation; longer exploration
  find_a_way,  ///< to find a way out; shorter comforting
};

/// The hidden state of a seeker before an utterance. The correct labels of examples are derived from it; utterances
/// only give cues.
struct Seeker {
  // Constant during a dialogue.
  int subject = 0;                 ///< the seeker's matter: an index of the lexicon's subjects, from 0
  Style style = Style::dominance;  ///< DISC style of the seeker
  Need need = Need::be_heard;      ///< the seeker's unspoken goal
  // Changing from round to round.
  Stage stage = Stage::exploration;    ///< stage of the dialogue
  Emotion emotion = Emotion::sadness;  ///< the seeker's emotion
  int intensity = 3;                   ///< intensity of the emotion, 1 to 5

  bool operator==(const Seeker&) const = default;
};

/// Returns the seeker at the first utterance of a dialogue. `place`: address of the random numbers; its round is
/// ignored.
Seeker first(RandomAddress place);

/// Returns the seeker in round `place.round` (>= 1). `before`: the state in the previous round; `quality`: quality of
/// the reply in that round, in [0, 1]. Good replies advance the stage more often and reduce the intensity, poor ones
/// may raise it. The stage can also fall back.
Seeker after(const Seeker& before, double quality, RandomAddress place);

/// Returns the text of the seeker's utterance in round `place.round`, in this order: a marker (first words that are
/// typical of the style), the subject (always in round 0, sometimes later), a cue for the emotion with its intensity,
/// and a cue for the stage.
///
/// `ambiguity` is the probability that each of the two cues misleads: one third each, it is missing, fits two labels,
/// or belongs to another label. The marker is missing with twice that probability. In round 0 the emotion cue is never
/// missing.
std::string utterance(const Seeker& seeker, const Lexicon& words, double ambiguity, const RandomAddress& place);

}  // namespace compeer::esc_world
