#pragma once
#include <vector>

#include "datasets/esc_world/world/lexicon.h"

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

}  // namespace compeer::esc_world
