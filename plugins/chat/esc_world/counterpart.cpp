// Scripted seekers and judges for evaluations on esc_world.
#include "chat/esc_world/counterpart.h"

#include <fmt/format.h>

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

constexpr double most_change = 10;  // SAGE's limit

std::string feeling(const Seeker& seeker) {
  return fmt::format("{} {}", empathy::name(seeker.emotion), seeker.intensity);
}

std::string reply_sections(const Round& now) {
  return fmt::format("Thinking: {}, {} stage\nOrigin: {}\nChange: nothing\nResponse: {}", feeling(now.truth.seeker),
                     empathy::name(now.truth.seeker.stage), now.utterance, now.utterance);
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
  throw std::invalid_argument("esc_world can't rate '" + std::string(dimension) + "'");
}

int score_of(double rating) { return static_cast<int>(std::floor(4 * rating + 0.5)); }

bool ScriptedSeeker::plays(Task task) {
  return task == Task::role || task == Task::sage_planning || task == Task::sage_reply || task == Task::rating;
}

std::string ScriptedSeeker::answer(const ParsedPrompt& asked, const Player::Uniform& uniform) const {
  auto all = rounds(asked);
  if (asked.task == Task::role) return all.back().utterance;
  if (asked.task == Task::sage_reply) return reply_sections(all.back());
  if (all.size() < 2) throw std::runtime_error("case " + asked.id + ": the dialogue has no answer to the seeker");
  if (asked.task == Task::sage_planning) return planning(all);
  return score(asked, std::move(all), uniform);
}

// Turns before the seeker's first one, such as a greeting, are ignored.
std::vector<Round> ScriptedSeeker::rounds(const ParsedPrompt& asked) const {
  const auto begin =
      std::find_if(asked.lines.begin(), asked.lines.end(), [](const WorldTurn& line) { return line.role == "user"; });
  std::vector<std::string> seeker, replies;
  bool alternates = true;
  for (auto line = begin; line != asked.lines.end(); ++line) {
    (line->role == "user" ? seeker : replies).push_back(line->text);
    alternates = alternates && seeker.size() - replies.size() <= 1;
  }
  auto all = played(world_, asked.split, asked.dialogue, replies);
  for (size_t i = 0; alternates && i < seeker.size(); ++i) alternates = seeker[i] == all[i].utterance;
  if (alternates) return all;
  throw std::runtime_error("case " + asked.id +
                           " is a different dialogue in this world: set 'world' to the settings of the dataset");
}

std::string ScriptedSeeker::planning(const std::vector<Round>& rounds) const {
  const PerceivedReply& heard = rounds[rounds.size() - 2].heard;
  const double change = std::round(profile_.emotion_scale * (heard.felt - profile_.emotion_rest));
  const std::string doing = heard.reply ? manner(heard.keys) : "i do not understand it";
  return fmt::format("Content: {}\nTargetCompletion: {:.2f} of 1\nActivity: {} repeats\nAnalyse: {}\nChange: {}",
                     doing.empty() ? "attunement" : doing, heard.felt,
                     heard.reply ? repeats(*heard.reply, rounds[rounds.size() - 2].truth.said) : 0.0,
                     feeling(rounds.back().truth.seeker),
                     static_cast<int>(std::clamp(change, -most_change, most_change)));
}

std::string ScriptedSeeker::score(const ParsedPrompt& asked, std::vector<Round> rounds,
                                  const Player::Uniform& uniform) const {
  rounds.pop_back();  // the seeker's last utterance has no reply yet
  int score = score_of(rating(asked.dimension, rounds));
  if (uniform(0) < profile_.judge_noise) score += score == 0 ? 1 : score == 4 || uniform(1) < 0.5 ? -1 : 1;
  return std::to_string(score);
}

}  // namespace compeer::esc_world
