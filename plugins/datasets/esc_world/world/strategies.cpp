#include "datasets/esc_world/world/strategies.h"

#include <algorithm>

namespace compeer::esc_world {
namespace {

using Row = std::array<int, 8>;

// Columns: question, restatement, reflection, disclosure, affirmation, suggestion, information, others.
constexpr std::array<Row, 3> by_stage = {{
    {3, 2, 2, 1, 1, -1, 0, 1},  // exploration
    {0, 1, 3, 2, 3, -1, 1, 1},  // comforting
    {0, 0, 0, 1, 1, 3, 3, 1},   // action
}};
constexpr std::array<Row, 8> by_emotion = {{
    {0, 0, 1, 1, 0, 0, -1, 0},  // sadness
    {-2, 0, 0, 0, 1, 0, 1, 0},  // anxiety: questions press
    {0, 1, 1, 0, -1, 0, 0, 0},  // anger
    {-2, 0, 0, 1, 1, 0, 0, 0},  // shame
    {1, 0, 0, 1, 0, 0, -1, 0},  // loneliness
    {-2, 0, 0, 0, 1, 1, 0, 0},  // exhaustion
    {1, 1, 0, -1, 0, 0, 1, 0},  // confusion
    {0, 0, -1, 0, 0, 1, 0, 2},  // hope
}};
constexpr std::array<Row, 4> by_style = {{
    {1, 0, 0, -1, -1, 1, 1, 0},  // dominance
    {0, -1, 0, 1, 1, 0, 0, 1},   // influence
    {0, 0, 1, 0, 1, -1, 0, 0},   // steadiness
    {0, 1, 0, -1, 0, 0, 1, -1},  // conscientiousness
}};

}  // namespace

int help(Strategy strategy, Stage stage, Emotion emotion, Style style) {
  const size_t column = static_cast<size_t>(strategy);
  return by_stage.at(static_cast<size_t>(stage)).at(column) + by_emotion.at(static_cast<size_t>(emotion)).at(column) +
         by_style.at(static_cast<size_t>(style)).at(column);
}

std::vector<Strategy> ranked(Stage stage, Emotion emotion, Style style) {
  std::vector<Strategy> order(empathy::strategies.begin(), empathy::strategies.end());
  std::stable_sort(order.begin(), order.end(), [&](Strategy a, Strategy b) {
    return help(a, stage, emotion, style) > help(b, stage, emotion, style);
  });
  return order;
}

std::vector<Strategy> good_strategies(Stage stage, Emotion emotion, Style style) {
  std::vector<Strategy> good = ranked(stage, emotion, style);
  good.resize(good_ones);
  return good;
}

double fit(Strategy strategy, Stage stage, Emotion emotion, Style style) {
  const std::vector<Strategy> order = ranked(stage, emotion, style);
  const auto rank = std::find(order.begin(), order.end(), strategy) - order.begin();
  return rank < 3 ? 1.0 : rank < 5 ? 0.4 : 0.0;
}

}  // namespace compeer::esc_world
