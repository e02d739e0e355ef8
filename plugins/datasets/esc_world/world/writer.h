#pragma once
#include <string>

#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/quality.h"

// Scripted supporters, which write the replies and the training targets of the generated data set esc_world. A
// supporter answers a seeker, a person in need of emotional support. A completion is three reasoning steps (stage of
// the dialogue, emotion, strategy) and a reply. A reply consists of sentences: an act applies a strategy, an attunement
// responds to an emotion, a tail addresses a DISC style, a safe sentence is generic comfort, and an artificial phrase
// sounds like a machine.

namespace compeer::esc_world {

/// Probabilities of a writer's errors, each in [0, 1]. After an error about stage or emotion, strategy and attunement
/// follow the wrong belief.
struct Errors {
  double wrong_stage = 0;        ///< believes in a wrong stage of the dialogue
  double wrong_emotion = 0;      ///< believes in a wrong emotion of the seeker
  double random_strategy = 0;    ///< announces a random strategy in step 3
  double strategy_mismatch = 0;  ///< the reply applies another strategy than announced
  double subject = 0;            ///< the reply does not name the subject, or (1 in 4) names another
  double attunement = 0;         ///< omits the attunement, uses a safe sentence instead, or attunes to another emotion
  double tone = 0;               ///< addresses another style, or uses an artificial phrase
  double grammar = 0;            ///< drops, doubles or swaps words of the reply
  double format = 0;             ///< leaves out a reasoning step or its closing tag
};

/// A scripted supporter. The default has access to the seeker's hidden state and makes no errors: it applies a good
/// strategy in sentences that are new in the dialogue if possible, and in seven of ten replies adds a tail that fits
/// the style.
struct Writer {
  std::string name = "expert";  ///< name of the writer in settings and records
  Errors errors;                ///< probabilities of its errors
  /// Probability that its habits apply to a reply. Unlike errors, habits depend on the seeker's state: immediate advice
  /// (step 3 and reply: suggestion) in the stage exploration for styles dominance and conscientiousness; generic
  /// comfort (step 3: affirmation, a safe reply) in later stages for influence and steadiness.
  double habit = 0;
};

/// A completion by a scripted supporter.
struct WrittenCompletion {
  std::string text;               ///< the completion: steps in tags, then the reply
  std::string spoken;             ///< the reply alone
  std::vector<std::string> keys;  ///< names of the reply's sentences: "act/question/3"; empty if its grammar is broken
  double quality = 0;             ///< true quality of the reply, in [0, 1]; 0 if its grammar is broken
};

/// Writes a completion for the current utterance of a seeker. Depends only on the arguments.
///
/// `said`: the earlier replies; `feelings`: settings of the quality; `words`: the lexicon of the language; `place` and
/// `purpose`: address of the random numbers.
WrittenCompletion write(const Writer& writer, const Seeker& seeker, const EarlierReplies& said,
                        const QualitySettings& feelings, const Lexicon& words, const RandomAddress& place,
                        Purpose purpose);

}  // namespace compeer::esc_world
