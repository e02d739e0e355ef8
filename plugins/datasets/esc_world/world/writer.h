#pragma once
#include <string>

#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/quality.h"

namespace compeer::esc_world {

/// How often a scripted supporter goes wrong, in each way. Believing a wrong stage or emotion has consequences:
/// strategy and attunement then follow the belief.
struct Errors {
  double history = 0;     ///< takes the talk for another stage
  double emotion = 0;     ///< takes the feeling for another
  double strategy = 0;    ///< announces a strategy at random
  double follow = 0;      ///< does another than the one announced
  double subject = 0;     ///< does not name the subject, or (one time in four) names another
  double attunement = 0;  ///< leaves the attunement out, puts a safe sentence there, or attunes to another feeling
  double tone = 0;        ///< talks to another style, or artificially
  double grammar = 0;     ///< drops, doubles or swaps a word of the reply
  double format = 0;      ///< leaves a step out, or does not close it
};

/// A scripted supporter. The default knows the truth and makes no mistakes: it picks a good strategy and sentences
/// that were not used before, and in seven of ten replies a tail that fits the style.
struct Writer {
  std::string name = "expert";
  Errors errors;
  /// How strong its systematic habits are, unlike errors always the same way in the same state:
  /// advice at once (step 3 and reply: suggestion) in the exploration stage for styles dominance and
  /// conscientiousness; generic comfort (step 3: affirmation, a safe reply) later on for influence and steadiness.
  double habit = 0;
};

/// A completion.
struct WrittenCompletion {
  std::string text;               ///< the whole, steps and reply
  std::string spoken;             ///< the reply alone, as the seeker hears it
  std::vector<std::string> keys;  ///< of its sentences; none if its grammar is broken
  double quality = 0;             ///< true quality of the reply
};

WrittenCompletion write(const Writer& writer, const Seeker& seeker, const EarlierReplies& said,
                        const Feelings& feelings, const Lexicon& words, const DrawKey& place, Purpose purpose);

}  // namespace compeer::esc_world
