// Plays dialogues between simulated seekers and the model under test (SAGE).
#include "evaluating/sage/play.h"

#include <algorithm>

#include "stages/records.h"

namespace compeer::evaluating::sage {

using nlohmann::json;

namespace {

// Returns the words that end a dialogue as the prompt lists them.
std::string alternatives(const std::vector<std::string>& words, bool chinese) {
  if (words.empty()) return chinese ? "再见" : "goodbye";
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : chinese ? "或" : " or ") + word;
  return all;
}

}  // namespace

struct Simulator::Scene : evaluating::Scene {
  json record, history = json::array();  // the profile; the turns as published
  Trajectory trajectory;
  int64_t refused = 0;  // malformed answers of the simulator
  Planning planning;
  SeekerAnswer said;

  void feels(const std::string& text, int64_t point) {
    say({{"role", "user"}, {"text", text}});
    history.push_back({{"role", "user"}, {"content", text}, {"emotion-point", point}});
    trajectory.points.push_back(point);
  }

  Played finished() {
    record["target"] = "eq";
    if (record.contains("main_cha")) record["character"] = record["main_cha"];
    record["emo_point"] = trajectory.last();
    record["emo_state"] = Rules::state(trajectory.last());
    record["history"] = std::move(history);
    record["turns"] = std::move(transcript);
    return {std::move(record), std::move(trajectory), refusal, refused, silent};
  }
};

Simulator::Simulator(const Settings& settings, Host& host)
    : chat_(settings, host, "simulator"),
      rules_{settings.integer("start"), settings.integer("rounds"), settings.texts("goodbyes")},
      asking_(settings, "simulator"),
      planning_(settings, host, "simulator", "sage_planning",
                {"player", "scene", "task", "dialogue", "emotion", "state"}),
      reply_(settings, host, "simulator", "sage_reply",
             {"player", "scene", "task", "dialogue", "emotion", "state", "planning", "goodbye"}) {}

std::vector<Played> Simulator::play(const std::vector<json>& profiles, const Supporter& supporter) const {
  if (!profiles.empty()) chat_.require("record '" + profiles[0].at("id").get<std::string>() + "' is to be played");
  std::vector<Scene> scenes(profiles.size());
  for (size_t i = 0; i < profiles.size(); ++i) {
    scenes[i].record = profiles[i];
    scenes[i].about = prompt_keys(profiles[i]);
    scenes[i].feels(profiles[i].at("first_talk"), rules_.start);
  }
  const auto react = [&](std::vector<Scene*>& open) {
    if (open[0]->turns.size() == 1) return;  // the first utterance is given by the profile
    feel(open), remove_closed(open);
    speak(open);
  };
  evaluating::play(scenes, supporter, react, [&](Scene& scene, int64_t round) {
    scene.history.push_back({{"role", "assistant"}, {"content", scene.turns.back().text}});
    scene.trajectory.end = rules_.answered(round);
    return scene.trajectory.end != End::none;
  });
  std::vector<Played> played;
  played.reserve(scenes.size());
  for (Scene& scene : scenes) played.push_back(scene.finished());
  return played;
}

std::map<std::string, std::string> Simulator::shown(const Scene& scene) const {
  const int64_t point = scene.trajectory.last();
  std::map<std::string, std::string> slots = {{"dialogue", stages::shown(scene.turns, scene.about)},
                                              {"emotion", std::to_string(point)},
                                              {"state", Rules::state(point)}};
  for (const char* field : {"player", "scene", "task"}) slots[field] = scene.record.at(field);
  return slots;
}

void Simulator::ask(const std::vector<Scene*>& open, std::vector<stages::ChatQuestion>& questions,
                    const char* what) const {
  if (open.empty()) return;
  const int64_t refused = stages::ask(chat_.require("a seeker is to be played"), questions, asking_);
  open[0]->refused += refused;
  for (size_t i = 0; i < open.size(); ++i) {
    if (!questions[i].refusal.empty()) open[i]->refusal = std::string(what) + ": " + questions[i].refusal;
  }
}

void Simulator::feel(const std::vector<Scene*>& open) const {
  std::vector<stages::ChatQuestion> questions;
  questions.reserve(open.size());
  for (Scene* scene : open) {
    questions.push_back({planning_.fill(scene->about, shown(*scene)), [scene](const std::string& answer) {
                           const auto read = read_planning(answer);
                           if (read) scene->planning = *read;
                           return read ? "" : "has no number behind 'Change:'";
                         }});
  }
  ask(open, questions, "planning");
}

void Simulator::speak(const std::vector<Scene*>& open) const {
  std::vector<stages::ChatQuestion> questions;
  questions.reserve(open.size());
  for (Scene* scene : open) {
    auto slots = shown(*scene);
    const int64_t point = Rules::after(scene->trajectory.last(), scene->planning.change);
    slots["emotion"] = std::to_string(point);
    slots["state"] = Rules::state(point);
    slots["planning"] = sage::shown(scene->planning);
    slots["goodbye"] = alternatives(rules_.goodbyes, scene->about["language"] == "zh");
    questions.push_back({reply_.fill(scene->about, slots), [scene](const std::string& answer) {
                           const auto read = parse_utterance(answer);
                           if (read) scene->said = *read;
                           return read ? "" : "has nothing behind 'Response:'";
                         }});
  }
  ask(open, questions, "reply");
  for (Scene* scene : open) {
    if (!scene->refusal.empty()) continue;
    const Planning& planning = scene->planning;
    const int64_t change = std::clamp(planning.change, -largest_change, largest_change);
    const int64_t point = Rules::after(scene->trajectory.last(), change);
    scene->feels(scene->said.text, point);
    scene->history.back()["thinking"] = scene->said.thinking;
    scene->history.back()["planning"] = {{"content", planning.content},
                                         {"TargetCompletion", planning.target_completion},
                                         {"activity", planning.activity},
                                         {"analyse", planning.analyse},
                                         {"change", change}};
    scene->trajectory.end = rules_.end_after_utterance(point, scene->said.text);
    scene->over = scene->trajectory.end != End::none;
  }
}

}  // namespace compeer::evaluating::sage
