#pragma once
#include <string>

#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/quality.h"

namespace compeer::esc_world {

/// Error probabilities of a scripted supporter, in [0, 1]. After an error about stage or emotion, strategy and
/// attunement follow the wrong belief.
struct Errors {
  double wrong_stage = 0;        ///< believes a wrong stage
  double wrong_emotion = 0;      ///< believes a wrong emotion
  double random_strategy = 0;    ///< announces a random strategy
  double strategy_mismatch = 0;  ///< the reply uses another strategy than announced
  double subject = 0;            ///< the reply does not name the subject, or (1 in 4) names another
  double attunement = 0;         ///< omits the attunement, uses a safe sentence instead, or attunes to another emotion
  double tone = 0;               ///< addresses another style, or uses an artificial phrase
  double grammar = 0;            ///< drops, doubles or swaps words of the reply
  double format = 0;             ///< leaves out a step or its closing tag
};

/// A scripted supporter. The default knows the truth and makes no errors: it uses a good strategy, sentences not used
/// before, and in seven of ten replies a tail that fits the style.
struct Writer {
  std::string name = "expert";
  Errors errors;
  /// Probability that its habits apply. Unlike errors, they depend on the state: immediate advice (step 3 and reply:
  /// suggestion) in the stage exploration for styles dominance and conscientiousness; generic comfort (step 3:
  /// affirmation, a safe reply) in later stages for influence and steadiness.
  double habit = 0;
};

/// A completion by a scripted supporter.
struct WrittenCompletion {
  std::string text;               ///< steps and reply
  std::string spoken;             ///< the reply alone
  std::vector<std::string> keys;  ///< keys of its sentences; empty if its grammar is broken
  double quality = 0;             ///< true quality of the reply; 0 if its grammar is broken
};

/// Writes a completion for a seeker after the replies `said`. Depends only on the arguments.
WrittenCompletion write(const Writer& writer, const Seeker& seeker, const EarlierReplies& said,
                        const QualitySettings& feelings, const Lexicon& words, const RandomAddress& place,
                        Purpose purpose);

}  // namespace compeer::esc_world
