#include "datasets/esc_world/world/quality.h"

#include <algorithm>
#include <cmath>

#include "datasets/esc_world/world/strategies.h"

namespace compeer::esc_world {
namespace {

std::vector<std::string> keys_of(const Reply& reply) {
  std::vector<std::string> keys;
  for (const Sentence& sentence : reply.sentences) keys.push_back(key(sentence));
  return keys;
}

constexpr double follows_weight = 0.15;

double safe_part(const Seeker& seeker, const Feelings& feelings) {
  const bool wants_more = seeker.stage == Stage::action && seeker.style == Style::dominance;
  return feelings.safe_quality * (wants_more ? 0.5 : 1.0);
}

}  // namespace

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
               const Feelings& feelings) {
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

double felt(const Reply& reply, const Seeker& seeker, const EarlierReplies& said, const Feelings& feelings) {
  const double value = quality(reply, std::nullopt, seeker, said, feelings);
  return reply.safe() ? value : value / (1 - follows_weight);
}

}  // namespace compeer::esc_world
