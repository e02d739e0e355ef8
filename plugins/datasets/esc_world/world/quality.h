#pragma once
#include <optional>
#include <vector>

#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/reply.h"
#include "datasets/esc_world/world/seeker.h"

namespace compeer::esc_world {

/// How much a strategy helps: a sum of three small tables, over the stage, the emotion and the style.
int help(Strategy strategy, Stage stage, Emotion emotion, Style style);

/// All eight, the most helpful first; equally helpful ones in the order of their labels.
std::vector<Strategy> ranked(Stage stage, Emotion emotion, Style style);

/// The three that help most: there is never one right reply.
inline constexpr size_t good_ones = 3;
std::vector<Strategy> good_strategies(Stage stage, Emotion emotion, Style style);

/// How well a strategy fits the need of the moment: 1 for the good ones, 0.4 for the next two, else 0.
double fit(Strategy strategy, Stage stage, Emotion emotion, Style style);

/// The two constants of the world that quality depends on.
struct Feelings {
  double habituation = 0.3;    ///< share of its effect that a reply loses with each repeat
  double safe_quality = 0.67;  ///< of generic comfort
};

/// What was said before in this dialogue: the keys of each earlier reply's sentences. A reply that the grammar does
/// not know has none.
using EarlierReplies = std::vector<std::vector<std::string>>;

/// Repeats in a reply: every earlier reply counts 1/2 if it had the same strategy (or both are safe), and 1/2 for
/// each sentence it shares. Other words for the same strategy cost less than the same words again.
double repeats(const Reply& reply, const EarlierReplies& said);

/// How good a reply is for the seeker, in [0, 1]. A safe reply has `safe_quality` (half of it for a seeker of style
/// dominance at the stage of action, who wants more than comfort). For any other it is a sum of
///
///   0.35 fit      of the act's strategy to the need (1 good, 0.4 near, 0)
///   0.15 follows  1 if the act is what step 3 announced
///   0.20 subject  1 the seeker's, 0.25 none named, 0 another
///   0.20 emotion  attunement: 1 the seeker's emotion, 0.5 a safe sentence instead, 0.25 none, 0 another emotion
///   0.10 style    tail: 1 the seeker's style, 0.5 none, 0 another
///
/// Both are multiplied by 0.85 for a reply of one sentence, by 0.8 for an artificial phrase, and by
/// (1 - habituation) to the power of `repeats`.
double quality(const Reply& reply, std::optional<Strategy> announced, const Seeker& seeker, const EarlierReplies& said,
               const Feelings& feelings);

/// Quality as the seeker feels it, who hears nothing of step 3: `follows` is left out of the sum, and the rest of it
/// divided by 0.85, so that it still reaches 1. A safe reply is felt as good as it is.
double felt(const Reply& reply, const Seeker& seeker, const EarlierReplies& said, const Feelings& feelings);

/// Parts of that sum, each in [0, 1]. A reply without an act has no fit and names no subject: 0.
double fit_part(const Reply& reply, const Seeker& seeker);
double subject_part(const Reply& reply, const Seeker& seeker);
double emotion_part(const Reply& reply, const Seeker& seeker);
double style_part(const Reply& reply, const Seeker& seeker);

/// "act/question" for a reply with that act, "safe" for generic comfort, "" for attunement alone and for a reply that
/// is unknown: what a reply repeats when it comes in other words.
std::string manner(const std::vector<std::string>& keys);

}  // namespace compeer::esc_world
