// How much strategies help, and the quality of replies.
#include "datasets/esc_world/world/quality.h"

#include <algorithm>
#include <cmath>

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
    {-2, 0, 0, 0, 1, 0, 1, 0},  // questions put pressure on the seeker
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

std::vector<std::string> keys_of(const Reply& reply) {
  std::vector<std::string> keys;
  for (const Sentence& sentence : reply.sentences) keys.push_back(key(sentence));
  return keys;
}

constexpr double follows_weight = 0.15;

double safe_part(const Seeker& seeker, const QualitySettings& feelings) {
  const bool wants_more = seeker.stage == Stage::action && seeker.style == Style::dominance;
  return feelings.safe_quality * (wants_more ? 0.5 : 1.0);
}

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

std::string manner(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (key.starts_with("act/")) return key.substr(0, key.rfind('/'));
  }
  const bool attuned =
      std::any_of(keys.begin(), keys.end(), [](const std::string& key) { return key.starts_with("attunement/"); });
  return keys.empty() || attuned ? "" : "safe";
}

double fit_part(const Reply& reply, const Seeker& seeker) {
  const auto strategy = reply.strategy();
  return strategy ? fit(*strategy, seeker.stage, seeker.emotion, seeker.style) : 0.0;
}

double subject_part(const Reply& reply, const Seeker& seeker) {
  const Sentence* act = reply.find(Part::act);
  return !act ? 0.0 : act->subject == seeker.subject ? 1.0 : act->subject < 0 ? 0.25 : 0.0;
}

double emotion_part(const Reply& reply, const Seeker& seeker) {
  if (const Sentence* attunement = reply.find(Part::attunement)) {
    return attunement->label == static_cast<int>(seeker.emotion) ? 1.0 : 0.0;
  }
  return reply.find(Part::safe) ? 0.5 : 0.25;
}

double style_part(const Reply& reply, const Seeker& seeker) {
  if (reply.find(Part::artificial)) return 0.0;
  const Sentence* tail = reply.find(Part::tail);
  return !tail ? 0.5 : tail->label == static_cast<int>(seeker.style) ? 1.0 : 0.0;
}

double repeats(const Reply& reply, const EarlierReplies& said) {
  const std::vector<std::string> keys = keys_of(reply);
  const std::string own = manner(keys);
  double count = 0;
  for (const std::vector<std::string>& earlier : said) {
    if (!own.empty() && manner(earlier) == own) count += 0.5;
    for (const std::string& sentence : keys) {
      if (std::find(earlier.begin(), earlier.end(), sentence) != earlier.end()) count += 0.5;
    }
  }
  return count;
}

double quality(const Reply& reply, std::optional<Strategy> announced, const Seeker& seeker, const EarlierReplies& said,
               const QualitySettings& feelings) {
  double value = 0;
  if (reply.safe()) {
    value = safe_part(seeker, feelings);
  } else {
    value = 0.20 * emotion_part(reply, seeker) + 0.10 * style_part(reply, seeker);
    value += 0.35 * fit_part(reply, seeker);
    value += announced && announced == reply.strategy() ? follows_weight : 0.0;
    value += 0.20 * subject_part(reply, seeker);
  }
  if (reply.sentences.size() == 1) value *= 0.85;
  if (reply.find(Part::artificial)) value *= 0.8;
  return value * std::pow(1 - feelings.habituation, repeats(reply, said));
}

double felt(const Reply& reply, const Seeker& seeker, const EarlierReplies& said, const QualitySettings& feelings) {
  const double value = quality(reply, std::nullopt, seeker, said, feelings);
  return reply.safe() ? value : value / (1 - follows_weight);
}

}  // namespace compeer::esc_world
