#pragma once
#include <optional>
#include <vector>

#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/reply.h"
#include "datasets/esc_world/world/seeker.h"

// The quality of a supporter's reply in the generated world of the data set esc_world. The supporter answers a seeker,
// a person in need of emotional support. The seeker's hidden state is known, so the quality of each reply can be
// computed. Rewards and tests use it as the truth, and it changes the seeker's state.
//
// A reply consists of sentences: an act applies a strategy (such as question) to a subject (the seeker's matter), an
// attunement responds to an emotion, a tail addresses a DISC style, a safe sentence is generic comfort, and an
// artificial phrase sounds like a machine. A safe reply has neither act nor attunement. Each sentence has a key, its
// name without the subject: "act/question/3".

namespace compeer::esc_world {

/// Returns how much a strategy helps a seeker in this state (higher is better): the sum of table entries for stage,
/// emotion and style.
int help(Strategy strategy, Stage stage, Emotion emotion, Style style);

/// Returns all eight strategies, the most helpful first; ties in the order of the labels.
std::vector<Strategy> ranked(Stage stage, Emotion emotion, Style style);

/// Number of strategies that count as good in each state.
inline constexpr size_t good_ones = 3;
/// Returns the `good_ones` most helpful strategies.
std::vector<Strategy> good_strategies(Stage stage, Emotion emotion, Style style);

/// Returns how well a strategy fits: 1 for the good ones, 0.4 for the next two (near misses), otherwise 0.
double fit(Strategy strategy, Stage stage, Emotion emotion, Style style);

/// The parameters of the world that quality depends on.
struct QualitySettings {
  double habituation = 0.3;    ///< fraction of its quality that a reply loses with each repetition
  double safe_quality = 0.67;  ///< quality of a safe reply
};

/// The earlier replies of a dialogue: [reply][sentence], the keys of their sentences. No keys for a reply outside of
/// the world's grammar.
using EarlierReplies = std::vector<std::vector<std::string>>;

/// Returns the number of repetitions in a reply: for every earlier reply in `said` 1/2 if it had the same strategy (or
/// both are safe), and 1/2 for each common sentence. So repeating a strategy in other words counts less than repeating
/// its words.
double repeats(const Reply& reply, const EarlierReplies& said);

/// Returns the true quality of a reply for the seeker, in [0, 1]. `announced`: the strategy that the supporter's third
/// reasoning step announces, if any; `said`: the earlier replies.
///
/// A safe reply has `safe_quality`, half of it for a seeker of style dominance in the stage action. For other replies
/// it is the sum of
///
///   0.35 fit      of the act's strategy (1 good, 0.4 near, 0)
///   0.15 follows  1 if the act applies the announced strategy
///   0.20 subject  1 the seeker's, 0.25 none named, 0 another or no act
///   0.20 emotion  attunement: 1 the seeker's emotion, 0.5 a safe sentence instead, 0.25 none, 0 another emotion
///   0.10 style    tail: 1 the seeker's style, 0.5 none, 0 another style or an artificial phrase
///
/// Both are multiplied by 0.85 for a reply of one sentence, by 0.8 for an artificial phrase, and by
/// (1 - habituation)^repeats.
double quality(const Reply& reply, std::optional<Strategy> announced, const Seeker& seeker, const EarlierReplies& said,
               const QualitySettings& feelings);

/// Returns the quality that the seeker perceives without the reasoning steps: the sum without `follows`, divided by
/// 0.85 so that it can reach 1. For safe replies equal to `quality`.
double felt(const Reply& reply, const Seeker& seeker, const EarlierReplies& said, const QualitySettings& feelings);

/// Return the parts fit, subject, emotion and style of the sum, each in [0, 1] before weighting. fit_part and
/// subject_part are 0 for a reply without an act.
double fit_part(const Reply& reply, const Seeker& seeker);
double subject_part(const Reply& reply, const Seeker& seeker);
double emotion_part(const Reply& reply, const Seeker& seeker);
double style_part(const Reply& reply, const Seeker& seeker);

/// Returns the kind of a reply. `repeats` compares kinds to find repetition in other words. `keys`: the keys of its
/// sentences. "act/question" for a reply with that act, "safe" for a safe reply, "" for an attunement without an act
/// and for no keys.
std::string manner(const std::vector<std::string>& keys);

}  // namespace compeer::esc_world
