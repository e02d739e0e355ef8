#include "evaluating/sage/play.h"

#include <algorithm>

#include "evaluating/sage/profile.h"
#include "stages/records.h"

namespace compeer::evaluating::sage {

using nlohmann::json;

namespace {

// The words with which a seeker ends a dialogue, as a prompt names them.
std::string alternatives(const std::vector<std::string>& words, bool chinese) {
  if (words.empty()) return chinese ? "再见" : "goodbye";
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : chinese ? "或" : " or ") + word;
  return all;
}

}  // namespace

/// A dialogue that is being played.
struct Simulator::Scene {
  Played played;
  json language;  // with the id, for players of generated dialogues
  std::vector<Turn> turns;
  json history = json::array(), transcript = json::array();
  Planning planning;
  SeekerAnswer said;

  bool open() const { return played.refusal.empty() && played.trajectory.end == End::none; }

  void say(const std::string& text, int64_t point) {
    turns.push_back({"user", text});
    transcript.push_back({{"role", "user"}, {"text", text}});
    history.push_back({{"role", "user"}, {"content", text}, {"emotion-point", point}});
    played.trajectory.points.push_back(point);
  }

  // Who gets no reply hears silence; a model that was not reached is not to blame for it.
  void hear(Answer answer) {
    if (answer.refusal == no_reply) {
      answer.heard = silence;
      ++played.silent;
    } else if (!answer.refusal.empty()) {
      played.refusal = "supporter: " + answer.refusal;
    }
    turns.push_back({"assistant", answer.heard});
    transcript.push_back(turn_of(answer));
    history.push_back({{"role", "assistant"}, {"content", answer.heard}});
  }

  Played finished() {
    json& record = played.record;
    record["target"] = "eq";
    if (record.contains("main_cha")) record["character"] = record["main_cha"];
    record["emo_point"] = played.trajectory.last();
    record["emo_state"] = Rules::state(played.trajectory.last());
    record["history"] = std::move(history);
    record["turns"] = std::move(transcript);
    return std::move(played);
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
  if (!profiles.empty()) chat_.demanded("record '" + profiles[0].at("id").get<std::string>() + "' is to be played");
  std::vector<Scene> scenes(profiles.size());
  std::vector<Scene*> open;
  for (size_t i = 0; i < profiles.size(); ++i) {
    Scene& scene = scenes[i];
    scene.played.record = profiles[i];
    scene.language = language_of(profiles[i]);
    scene.say(profiles[i].at("first_talk"), rules_.start);
    open.push_back(&scene);
  }
  const auto go_on = [&] { std::erase_if(open, [](const Scene* scene) { return !scene->open(); }); };
  for (int64_t round = 1; !open.empty(); ++round) {
    hear(open, supporter, round), go_on();
    feel(open), go_on();
    speak(open), go_on();
  }
  std::vector<Played> played;
  played.reserve(scenes.size());
  for (Scene& scene : scenes) played.push_back(scene.finished());
  return played;
}

void Simulator::hear(std::vector<Scene*>& open, const Supporter& supporter, int64_t round) const {
  std::vector<std::vector<Turn>> dialogues;
  std::vector<std::string> languages;
  for (const Scene* scene : open) {
    dialogues.push_back(scene->turns);
    languages.push_back(scene->language.at("language"));
  }
  auto answers = supporter.answer(dialogues, languages);
  for (size_t i = 0; i < open.size(); ++i) {
    open[i]->hear(std::move(answers[i]));
    open[i]->played.trajectory.end = rules_.answered(round);
  }
}

std::map<std::string, std::string> Simulator::shown(const Scene& scene) const {
  const int64_t point = scene.played.trajectory.last();
  std::map<std::string, std::string> slots = {{"dialogue", stages::shown(scene.turns, scene.language)},
                                              {"emotion", std::to_string(point)},
                                              {"state", Rules::state(point)}};
  for (const char* field : {"player", "scene", "task"}) slots[field] = scene.played.record.at(field);
  return slots;
}

void Simulator::ask(std::vector<Scene*>& open, std::vector<stages::ChatQuestion>& questions, const char* what) const {
  if (open.empty()) return;
  const int64_t refused = stages::ask(chat_.demanded("a seeker is to be played"), questions, asking_);
  open[0]->played.refused += refused;
  for (size_t i = 0; i < open.size(); ++i) {
    if (!questions[i].refusal.empty()) open[i]->played.refusal = std::string(what) + ": " + questions[i].refusal;
  }
}

void Simulator::feel(std::vector<Scene*>& open) const {
  std::vector<stages::ChatQuestion> questions;
  questions.reserve(open.size());
  for (Scene* scene : open) {
    questions.push_back({planning_.fill(scene->language, shown(*scene)), [scene](const std::string& answer) {
                           const auto read = read_planning(answer);
                           if (read) scene->planning = *read;
                           return read ? "" : "has no number behind 'Change:'";
                         }});
  }
  ask(open, questions, "planning");
}

void Simulator::speak(std::vector<Scene*>& open) const {
  std::vector<stages::ChatQuestion> questions;
  questions.reserve(open.size());
  for (Scene* scene : open) {
    auto slots = shown(*scene);
    const int64_t point = Rules::after(scene->played.trajectory.last(), scene->planning.change);
    slots["emotion"] = std::to_string(point);
    slots["state"] = Rules::state(point);
    slots["planning"] = sage::shown(scene->planning);
    slots["goodbye"] = alternatives(rules_.goodbyes, scene->language["language"] == "zh");
    questions.push_back({reply_.fill(scene->language, slots), [scene](const std::string& answer) {
                           const auto read = read_said(answer);
                           if (read) scene->said = *read;
                           return read ? "" : "has nothing behind 'Response:'";
                         }});
  }
  ask(open, questions, "reply");
  for (Scene* scene : open) {
    if (!scene->played.refusal.empty()) continue;
    const Planning& planning = scene->planning;
    const int64_t change = std::clamp(planning.change, -largest_change, largest_change);
    const int64_t point = Rules::after(scene->played.trajectory.last(), change);
    scene->say(scene->said.text, point);
    scene->history.back()["thinking"] = scene->said.thinking;
    scene->history.back()["planning"] = {{"content", planning.content},
                                         {"TargetCompletion", planning.target_completion},
                                         {"activity", planning.activity},
                                         {"analyse", planning.analyse},
                                         {"change", change}};
    scene->played.trajectory.end = rules_.with(point, scene->said.text);
  }
}

}  // namespace compeer::evaluating::sage
