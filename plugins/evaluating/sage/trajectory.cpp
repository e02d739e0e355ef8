// The rules of SAGE, and the check of recorded dialogues against them.
#include "evaluating/sage/trajectory.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "empathy/plain.h"

namespace compeer::evaluating::sage {

namespace {

using nlohmann::json;

struct TrajectoryRefusal {
  std::string reason, detail;
};

const json& member(const json& object, const char* key) {
  static const json nothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : nothing;
}

std::optional<int64_t> whole(const json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float() || std::abs(value.get<double>()) > 1e6) return std::nullopt;
  const auto rounded = static_cast<int64_t>(value.get<double>());
  return static_cast<double>(rounded) == value.get<double>() ? std::optional(rounded) : std::nullopt;
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : ""; }

/// Checks the turns of a history in order against the rules.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const Rules& rules) : rules_(rules) {}

  void take(const json& turn) {
    ++number_;
    const std::string role = text_of(member(turn, "role")), due = seeker_speaks_ ? "user" : "assistant";
    if (role != due) refuse("unreadable history", "should be the " + due + "'s");
    if (trajectory_.end != End::none) refuse("goes on after its end", "follows the end (" + how() + ")");
    if (seeker_speaks_) {
      feel(turn);
    } else {
      trajectory_.end = rules_.answered(std::ssize(trajectory_.points));
    }
    seeker_speaks_ = !seeker_speaks_;
  }

  // Returns the trajectory; throws TrajectoryRefusal if the dialogue has not ended.
  Trajectory finish() {
    if (trajectory_.points.empty()) throw TrajectoryRefusal{"unreadable history", "nobody says anything"};
    if (trajectory_.end == End::none)
      throw TrajectoryRefusal{"not ended",
                              "the last of " + std::to_string(number_) + " turns is the " +
                                  (seeker_speaks_ ? "supporter's, before the limit of " : "seeker's, within ") +
                                  std::to_string(rules_.rounds) + " rounds, at " + std::to_string(trajectory_.last()) +
                                  " points"};
    return std::move(trajectory_);
  }

 private:
  void feel(const json& turn) {
    const auto point = whole(member(turn, "emotion-point"));
    if (!point) refuse("unreadable history", "has no whole number 'emotion-point'");
    if (trajectory_.points.empty()) {
      if (*point != rules_.start) refuse("points against the rules", starts(*point));
    } else {
      follow(*point, member(member(turn, "planning"), "change"));
    }
    trajectory_.points.push_back(*point);
    if (trajectory_.points.size() > 1)
      trajectory_.end = rules_.end_after_utterance(*point, text_of(member(turn, "content")));
  }

  // Checks the points after a reply. If the change is not recorded, checks only that it is within the limits.
  void follow(int64_t point, const json& given) const {
    const int64_t before = trajectory_.last();
    const auto change = whole(given);
    if (!change && !given.is_null()) refuse("unreadable history", "has a change that is no whole number");
    const bool right = change ? point == Rules::after(before, *change)
                              : point >= before - largest_change && point <= Rules::after(before, largest_change);
    if (!right)
      refuse("points against the rules", "has " + std::to_string(point) + " points after " + std::to_string(before) +
                                             (change ? " and a change of " + std::to_string(*change) : ""));
  }

  std::string starts(int64_t point) const {
    return "has " + std::to_string(point) + " points; dialogues start at " + std::to_string(rules_.start);
  }

  std::string how() const {
    const std::string name = name_of(trajectory_.end);
    return trajectory_.end == End::limit ? name + " of " + std::to_string(rules_.rounds) + " rounds" : name;
  }

  [[noreturn]] void refuse(const char* reason, const std::string& what) const {
    throw TrajectoryRefusal{reason, "turn " + std::to_string(number_) + " " + what};
  }

  const Rules& rules_;
  Trajectory trajectory_;
  int64_t number_ = 0;
  bool seeker_speaks_ = true;
};

// Checks that the recorded result agrees with the last utterance.
void check_result(const json& record, const Trajectory& trajectory) {
  const json &point = member(record, "emo_point"), &state = member(record, "emo_state");
  if (!point.is_null() && whole(point) != trajectory.last())
    throw TrajectoryRefusal{
        "points against the rules",
        "its emo_point is " + point.dump() + ", that of its last utterance " + std::to_string(trajectory.last())};
  if (state.is_string() && state != Rules::state(trajectory.last()))
    throw TrajectoryRefusal{"points against the rules", "its emo_state is " + text_of(state) + " at " +
                                                            std::to_string(trajectory.last()) + " points"};
}

}  // namespace

const char* name_of(End end) {
  switch (end) {
    case End::success:
      return "success";
    case End::failure:
      return "failure";
    case End::goodbye:
      return "goodbye";
    case End::limit:
      return "limit";
    case End::none:
      break;
  }
  return "open";
}

int64_t Rules::after(int64_t point, int64_t change) {
  return std::min(point + std::clamp(change, -largest_change, largest_change), success_at);
}

const char* Rules::state(int64_t point) {
  if (point >= success_at) return "Emotion-S";
  if (point >= 70) return "Emotion-A";
  if (point >= 40) return "Emotion-B";
  return point >= failure_below ? "Emotion-C" : "Emotion-F";
}

End Rules::end_after_utterance(int64_t point, const std::string& utterance) const {
  if (point >= success_at) return End::success;
  if (point < failure_below) return End::failure;
  const bool goodbye = std::any_of(goodbyes.begin(), goodbyes.end(), [&](const std::string& word) {
    return !word.empty() && utterance.find(word) != std::string::npos;
  });
  return goodbye ? End::goodbye : End::none;
}

std::string missing_in(const json& profile) {
  for (const char* field : {"player", "scene", "task", "first_talk"}) {
    const auto found = profile.find(field);
    const bool there =
        found != profile.end() && found->is_string() && !empathy::trim(found->get_ref<const std::string&>()).empty();
    if (!there) return std::string("no '") + field + "'";
  }
  return "";
}

json prompt_keys(const json& profile) {
  const auto given = profile.find("language");
  const std::string said = given != profile.end() && given->is_string() ? given->get<std::string>() : "";
  if (said.starts_with("en") || said.starts_with("zh")) return {{"id", profile.at("id")}, {"language", said}};
  const bool chinese = empathy::has_chinese(profile.at("first_talk").get<std::string>());
  return {{"id", profile.at("id")}, {"language", chinese ? "zh" : "en"}};
}

bool is_recorded(const json& record) {
  const json& turns = member(record, "turns");
  return record.contains("history") || record.contains("emo_point") ||
         std::any_of(turns.begin(), turns.end(),
                     [](const json& turn) { return text_of(member(turn, "role")) == "assistant"; });
}

RecordedDialogue recorded(const json& record, const Rules& rules) {
  try {
    const json& history = member(record, "history");
    if (!history.is_array()) throw TrajectoryRefusal{"unreadable history", "has no list 'history'"};
    TrajectoryReader reader(rules);
    for (const json& turn : history) reader.take(turn);
    RecordedDialogue read{reader.finish(), "", ""};
    check_result(record, read.trajectory);
    return read;
  } catch (const TrajectoryRefusal& refusal) {
    return {{}, refusal.reason, refusal.detail};
  }
}

}  // namespace compeer::evaluating::sage
