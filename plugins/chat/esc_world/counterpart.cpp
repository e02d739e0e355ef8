#include "chat/esc_world/counterpart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "chat/esc_world/ratings.h"

namespace compeer::esc_world {
namespace {

constexpr double most_change = 10;  // SAGE's

std::string feeling(const Seeker& seeker) {
  return fmt::format("{} {}", empathy::name(seeker.emotion), seeker.intensity);
}

std::string reply_sections(const Round& now) {
  return fmt::format("Thinking: {}, {} stage\nOrigin: {}\nChange: nothing\nResponse: {}", feeling(now.truth.seeker),
                     empathy::name(now.truth.seeker.stage), now.utterance, now.utterance);
}

}  // namespace

bool Counterpart::plays(Task task) {
  return task == Task::role || task == Task::sage_planning || task == Task::sage_reply || task == Task::rating;
}

std::string Counterpart::answer(const ParsedPrompt& asked, const Player::Uniform& uniform) const {
  auto all = rounds(asked);
  if (asked.task == Task::role) return all.back().utterance;
  if (asked.task == Task::sage_reply) return reply_sections(all.back());
  if (all.size() < 2) throw std::runtime_error("case " + asked.id + ": nobody has answered the seeker yet");
  if (asked.task == Task::sage_planning) return planning(all);
  return score(asked, std::move(all), uniform);
}

// What was said before the seeker began, such as a greeting, is heard by nobody.
std::vector<Round> Counterpart::rounds(const ParsedPrompt& asked) const {
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
  throw std::runtime_error(
      "case " + asked.id +
      " is another dialogue in this world: the setting 'world' must hold what the dataset was given");
}

std::string Counterpart::planning(const std::vector<Round>& rounds) const {
  const Heard& heard = rounds[rounds.size() - 2].heard;
  const double change = std::round(profile_.emotion_scale * (heard.felt - profile_.emotion_rest));
  const std::string doing = heard.reply ? manner(heard.keys) : "i do not understand it";
  return fmt::format("Content: {}\nTargetCompletion: {:.2f} of 1\nActivity: {} repeats\nAnalyse: {}\nChange: {}",
                     doing.empty() ? "attunement" : doing, heard.felt,
                     heard.reply ? repeats(*heard.reply, rounds[rounds.size() - 2].truth.said) : 0.0,
                     feeling(rounds.back().truth.seeker),
                     static_cast<int>(std::clamp(change, -most_change, most_change)));
}

std::string Counterpart::score(const ParsedPrompt& asked, std::vector<Round> rounds,
                               const Player::Uniform& uniform) const {
  rounds.pop_back();  // nobody has answered it
  int score = score_of(rating(asked.dimension, rounds));
  if (uniform(0) < profile_.judge_noise) score += score == 0 ? 1 : score == 4 || uniform(1) < 0.5 ? -1 : 1;
  return std::to_string(score);
}

}  // namespace compeer::esc_world
