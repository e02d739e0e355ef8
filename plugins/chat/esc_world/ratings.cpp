#include "chat/esc_world/ratings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>

namespace compeer::esc_world {
namespace {

double mean(const std::vector<Round>& rounds, const std::function<double(const Reply&, const Round&)>& of) {
  double sum = 0;
  for (const Round& round : rounds) sum += round.heard.reply ? of(*round.heard.reply, round) : 0.0;
  return rounds.empty() ? 0.0 : sum / static_cast<double>(rounds.size());
}

double variety(const std::vector<Round>& rounds) {
  if (rounds.size() == 1) return rounds[0].heard.reply ? 1.0 : 0.0;
  std::set<std::string> said;
  double sum = 0;
  for (size_t i = 0; i < rounds.size(); ++i) {
    const auto& keys = rounds[i].heard.keys;
    const std::string own = "manner " + manner(keys);
    const auto fresh = std::count_if(keys.begin(), keys.end(), [&](const auto& key) { return !said.contains(key); });
    if (i > 0 && !keys.empty()) {
      sum += 0.5 * static_cast<double>(fresh) / static_cast<double>(keys.size()) + (said.contains(own) ? 0.0 : 0.5);
    }
    said.insert(keys.begin(), keys.end());
    if (!keys.empty()) said.insert(own);
  }
  return rounds.empty() ? 0.0 : sum / static_cast<double>(rounds.size() - 1);
}

double information(const Reply& reply, const Seeker& seeker) {
  return reply.find(Part::act) ? 0.5 + 0.5 * subject_part(reply, seeker) : 0.0;
}

}  // namespace

double rating(std::string_view dimension, const std::vector<Round>& rounds) {
  const auto over = [&](double (*part)(const Reply&, const Seeker&)) {
    return mean(rounds, [&](const Reply& reply, const Round& round) { return part(reply, round.truth.seeker); });
  };
  if (dimension == "fluency") return over([](const Reply&, const Seeker&) { return 1.0; });
  if (dimension == "diversity") return variety(rounds);
  if (dimension == "empathic") return over(emotion_part);
  if (dimension == "suggestion") return over(information);
  if (dimension == "human") return over(style_part);
  if (dimension == "tech") return over(fit_part);
  if (dimension == "overall") return mean(rounds, [](const Reply&, const Round& round) { return round.heard.felt; });
  throw std::invalid_argument("esc_world rates no '" + std::string(dimension) + "'");
}

int score_of(double rating) { return static_cast<int>(std::floor(4 * rating + 0.5)); }

}  // namespace compeer::esc_world
