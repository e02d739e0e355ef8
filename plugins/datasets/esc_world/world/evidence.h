#pragma once
#include <string>

#include "datasets/esc_world/world/seeker.h"

namespace compeer::esc_world {

/// What the seeker says in the round of `place`: a marker of the style, the subject (always in round 0), a cue for
/// the emotion with its intensity, a cue for the stage.
///
/// `ambiguity` is the probability, for each of the two cues, that it misleads: a third each is left out, fits two
/// labels, or is another label's. The marker is left out with twice that probability. In round 0 no emotion cue is left
/// out, so that there is something to go by.
std::string utterance(const Seeker& seeker, const Lexicon& words, double ambiguity, const DrawKey& place);

}  // namespace compeer::esc_world
