#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "compeer/settings.h"
#include "stages/asking.h"

/// The settings of a stage that tests a model: part of the descriptor's "parameters".
#define COMPEER_SUPPORTER_SETTINGS                                                                 \
  R"json("supporter": {"type": "plugin", "kind": "chat", "default": null,)json"                    \
  R"json("help": "the model that is tested; may be unset where all dialogues are recorded"},)json" \
  R"json("supporter_prompt": {"type": "path", "default": null,)json"                               \
  R"json("help": "a text that it is given as the system's turn"},)json"                            \
  R"json("supporter_temperature": {"type": "number", "default": 0.0, "min": 0,)json"               \
  R"json("help": "of its answers; 0: the likeliest"},)json"                                        \
  R"json("supporter_tokens": {"type": "integer", "default": 512, "min": 1, "help": "of an answer of it at most"},)json"

/// And of one whose published protocol gives that model a system turn.
#define COMPEER_SUPPORTER_SYSTEM_SETTING                                      \
  R"json("supporter_system": {"type": "boolean", "default": true,)json"       \
  R"json("help": "without supporter_prompt, the published system turn; )json" \
  R"json(false: none, as for a model that was trained without"},)json"

namespace compeer::evaluating {

/// A chat plugin that a setting names, or nobody: what was recorded is scored without any model, so a stage demands one
/// only where it has something to ask.
class OptionalChat {
 public:
  OptionalChat(const Settings& settings, Host& host, const std::string& setting);

  explicit operator bool() const { return chat_ != nullptr; }
  /// Throws Error (exit 4) that names the setting, if it is unset. `why`: "record 'a' is to be played".
  Chat& demanded(const std::string& why) const;
  std::string model() const { return chat_ ? chat_->model() : ""; }

 private:
  Chat* chat_ = nullptr;
  std::string setting_;
};

/// Why a seeker hears nothing; and what a dialogue can go on with all the same, if the model did answer.
inline constexpr const char *no_answer = "no answer", *no_reply = "no reply", *silence = "...";

/// What a tested model answered. The seeker hears the reply alone: what follows three steps, or a thought that ends
/// with </think>; the whole answer, if it has neither.
struct Answer {
  std::string heard;
  nlohmann::json steps;  ///< {"history", "emotion", "strategy"}, if it is in the format
  std::string refusal;   ///< "", no_answer (it was not reached), or no_reply (nothing behind its steps, or none at all)
};

/// The model under test.
class Supporter {
 public:
  /// `published`: the prompt with the protocol's system turn, "sage_supporter"; "" if it has none.
  Supporter(const Settings& settings, Host& host, const std::string& published = "");

  /// Answers dialogues that end with the seeker, side by side. The system turn that this model is given, if it is given
  /// any, takes the place of a dialogue's own. `languages`: of each, "en" or "zh". Throws Error (exit 4) if there are
  /// any and no model is set.
  std::vector<Answer> answer(const std::vector<std::vector<Turn>>& dialogues,
                             const std::vector<std::string>& languages) const;

  /// Whether there is a model; its name, or "".
  explicit operator bool() const { return bool(chat_); }
  std::string model() const { return chat_.model(); }
  /// What its answers depend on besides settings: for `Stage::ingredients`.
  std::string prompt() const { return published_ ? published_->hashes() : prompt_; }

 private:
  OptionalChat chat_;
  std::string prompt_;
  std::optional<stages::StagePrompt> published_;
  double temperature_;
  int64_t max_tokens_;
};

/// An answer as a turn of a transcript, which is a record's "turns": {"role", "text"} and, if there are any, "steps".
nlohmann::json turn_of(const Answer& answer);

/// What is heard of a completion.
Answer heard(const std::string& completion);

/// A dialogue while it is played: a seeker, who begins, and the model under test.
struct Scene {
  nlohmann::json about;                                 ///< {"id", "language"}: fills prompts
  std::vector<Turn> turns = {};                         ///< what both have said
  nlohmann::json transcript = nlohmann::json::array();  ///< the same as a record's "turns"
  std::string refusal = {};                             ///< who failed and ended it: "supporter: no answer"; or ""
  int64_t silent = 0;                                   ///< answers without a reply, where the seeker heard `silence`
  bool over = false;

  bool open() const { return refusal.empty() && !over; }

  /// `turn`: {"role", "text", ...}
  void say(nlohmann::json turn) {
    turns.push_back({turn.at("role"), turn.at("text")});
    transcript.push_back(std::move(turn));
  }
};

/// Lets the model under test answer scenes in which the seeker has the last word.
void answer(const std::vector<Scene*>& open, const Supporter& supporter);

template <class OneScene>
void leave_open(std::vector<OneScene*>& scenes) {
  std::erase_if(scenes, [](const Scene* scene) { return !scene->open(); });
}

/// Plays scenes side by side until none is open. A round: `speak(open)` lets the seekers speak, the supporter answers,
/// and `answered(scene, round)`, for each scene with an answer, says whether that was the last one. Rounds count
/// from 1.
template <class OneScene, class Speak, class Answered>
void play(std::vector<OneScene>& scenes, const Supporter& supporter, Speak&& speak, Answered&& answered) {
  std::vector<OneScene*> open;
  for (OneScene& scene : scenes) open.push_back(&scene);
  leave_open(open);
  for (int64_t round = 1; !open.empty(); ++round) {
    speak(open), leave_open(open);
    answer({open.begin(), open.end()}, supporter), leave_open(open);
    for (OneScene* scene : open) scene->over = answered(*scene, round);
    leave_open(open);
  }
}

}  // namespace compeer::evaluating
