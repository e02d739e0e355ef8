#pragma once
#include <optional>
#include <vector>

#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/reply.h"
#include "datasets/esc_world/world/seeker.h"

namespace compeer::esc_world {

/// Returns how much a strategy helps: the sum of table entries for stage, emotion and style.
int help(Strategy strategy, Stage stage, Emotion emotion, Style style);

/// Returns all eight strategies, the most helpful first; ties in the order of the labels.
std::vector<Strategy> ranked(Stage stage, Emotion emotion, Style style);

/// Number of good strategies: there is never only one right reply.
inline constexpr size_t good_ones = 3;
/// Returns the `good_ones` most helpful strategies.
std::vector<Strategy> good_strategies(Stage stage, Emotion emotion, Style style);

/// Returns how well a strategy fits: 1 for the good ones, 0.4 for the next two, otherwise 0.
double fit(Strategy strategy, Stage stage, Emotion emotion, Style style);

/// The parameters of the world that quality depends on.
struct QualitySettings {
  double habituation = 0.3;    ///< fraction of its effect a reply loses with each repetition
  double safe_quality = 0.67;  ///< quality of generic comfort
};

/// The earlier replies of a dialogue as keys of their sentences. Empty for a reply that the grammar can't parse.
using EarlierReplies = std::vector<std::vector<std::string>>;

/// Returns the number of repetitions in a reply: for every earlier reply 1/2 if it had the same strategy (or both are
/// safe), and 1/2 for each common sentence. So repeating a strategy in other words counts less than repeating its
/// words. `said`: the earlier replies.
double repeats(const Reply& reply, const EarlierReplies& said);

/// Returns the quality of a reply for the seeker, in [0, 1]. A safe reply has `safe_quality`, half of it for a seeker
/// of style dominance in the stage action, who wants more than comfort. For others it is the sum of
///
///   0.35 fit      of the act's strategy (1 good, 0.4 near, 0)
///   0.15 follows  1 if the act is the strategy announced in step 3
///   0.20 subject  1 the seeker's, 0.25 none named, 0 another
///   0.20 emotion  attunement: 1 the seeker's emotion, 0.5 a safe sentence instead, 0.25 none, 0 another emotion
///   0.10 style    tail: 1 the seeker's style, 0.5 none, 0 another style or an artificial phrase
///
/// Both are multiplied by 0.85 for a reply of one sentence, by 0.8 for an artificial phrase, and by
/// (1 - habituation)^repeats.
double quality(const Reply& reply, std::optional<Strategy> announced, const Seeker& seeker, const EarlierReplies& said,
               const QualitySettings& feelings);

/// Returns the quality as the seeker perceives it, without step 3: the sum without `follows`, divided by 0.85 so that
/// it can reach 1. For safe replies equal to `quality`.
double felt(const Reply& reply, const Seeker& seeker, const EarlierReplies& said, const QualitySettings& feelings);

/// Return the parts of the sum, each in [0, 1]. fit_part and subject_part are 0 for a reply without an act.
double fit_part(const Reply& reply, const Seeker& seeker);
double subject_part(const Reply& reply, const Seeker& seeker);
double emotion_part(const Reply& reply, const Seeker& seeker);
double style_part(const Reply& reply, const Seeker& seeker);

/// Returns what a reply repeats if it uses other words: "act/question" for a reply with that act, "safe" for generic
/// comfort, "" for an attunement alone and for a reply that was not parsed.
std::string manner(const std::vector<std::string>& keys);

}  // namespace compeer::esc_world
