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

/// Settings of the tested model (the supporter), for the "parameters" of descriptors.
#define COMPEER_SUPPORTER_SETTINGS                                                      \
  R"json("supporter": {"type": "plugin", "kind": "chat", "default": null,)json"         \
  R"json("help": "the tested model; may be unset if all dialogues are recorded"},)json" \
  R"json("supporter_prompt": {"type": "path", "default": null,)json"                    \
  R"json("help": "file with a system message for the tested model"},)json"              \
  R"json("supporter_temperature": {"type": "number", "default": 0.0, "min": 0,)json"    \
  R"json("help": "sampling temperature of the tested model; 0: greedy decoding"},)json" \
  R"json("supporter_tokens": {"type": "integer", "default": 512, "min": 1,)json"        \
  R"json("help": "maximum tokens per answer of the tested model"},)json"

/// Additional setting of stages whose published protocol gives the tested model a system turn.
#define COMPEER_SUPPORTER_SYSTEM_SETTING                                              \
  R"json("supporter_system": {"type": "boolean", "default": true,)json"               \
  R"json("help": "without supporter_prompt, send the published system message; )json" \
  R"json(false: none, for models trained without one"},)json"

namespace compeer::evaluating {

/// The chat model named by a setting, or none if it is unset. Recorded dialogues and judgements are scored without
/// models, so a stage requires one only when it has a request to send.
class OptionalChat {
 public:
  /// `setting`: name of the setting.
  OptionalChat(const Settings& settings, Host& host, const std::string& setting);

  explicit operator bool() const { return chat_ != nullptr; }
  /// Returns the chat model. Throws Error (exit 4) that names the setting if it is unset; `why` begins the message, as
  /// in "record 'a' is to be played".
  Chat& require(const std::string& why) const;
  /// Returns the name of the model, or "".
  std::string model() const { return chat_ ? chat_->model() : ""; }

 private:
  Chat* chat_ = nullptr;  // null if the setting is unset
  std::string setting_;   // its name, for errors
};

/// Values of Answer::refusal, and the text that replaces an empty reply so that the dialogue can continue.
inline constexpr const char *no_answer = "no answer", *no_reply = "no reply", *silence = "...";

/// An answer of the tested model. The seeker receives only the reply: the text after the three steps or after a thought
/// that ends with "</think>"; the whole answer if it has neither.
struct Answer {
  std::string reply;  ///< the reply; may be empty
  /// {"history", "emotion", "strategy"} if the answer is in the format (empathy/format.h), otherwise null.
  nlohmann::json steps;
  std::string refusal;  ///< "", no_answer (the request failed) or no_reply (the answer contains no reply)
};

/// The model under test.
class Supporter {
 public:
  /// `published`: name of the prompt with the protocol's system turn, such as "sage_supporter"; "" if there is none.
  Supporter(const Settings& settings, Host& host, const std::string& published = "");

  /// Answers dialogues that end with the seeker, in parallel. A system turn from the settings or the protocol replaces
  /// a dialogue's own. `languages`: "en" or "zh" for each dialogue. Throws Error (exit 4) if there is a dialogue but no
  /// model.
  std::vector<Answer> answer(const std::vector<std::vector<Turn>>& dialogues,
                             const std::vector<std::string>& languages) const;

  /// Returns true if a model is set.
  explicit operator bool() const { return bool(chat_); }
  /// Returns the name of the model, or "".
  std::string model() const { return chat_.model(); }
  /// Returns a text that changes with the model's system turn, for Stage::cache_key.
  std::string fingerprint() const { return published_ ? published_->hashes() : prompt_; }

 private:
  OptionalChat chat_;
  std::string prompt_;                            // text of the setting `supporter_prompt`; "" if it is unset
  std::optional<stages::StagePrompt> published_;  // the protocol's system turn, if it is sent
  double temperature_;                            // sampling temperature
  int64_t max_tokens_;                            // maximum number of tokens per answer
};

/// Converts an answer to an element of a record's "turns": {"role", "text"}, and "steps" if there are any.
nlohmann::json turn_of(const Answer& answer);

/// Splits a completion into reply and steps. The reply is empty if the completion is only a thought.
Answer parse_answer(const std::string& completion);

/// The state of a dialogue between a seeker, who begins, and the tested model.
struct Scene {
  nlohmann::json about;                                 ///< {"id", "language"}, for filling prompts
  std::vector<Turn> turns = {};                         ///< all turns so far
  nlohmann::json transcript = nlohmann::json::array();  ///< the same turns as JSON: a record's "turns"
  std::string refusal = {};  ///< why the dialogue failed, as in "supporter: no answer"; empty while it has not
  int64_t silent = 0;        ///< number of the model's answers without a reply, replaced by `silence`
  bool over = false;         ///< the dialogue has ended as planned

  /// Returns true if the dialogue can continue.
  bool open() const { return refusal.empty() && !over; }

  /// Appends a turn, {"role", "text", ...}.
  void say(nlohmann::json turn) {
    turns.push_back({turn.at("role"), turn.at("text")});
    transcript.push_back(std::move(turn));
  }
};

/// Lets the tested model answer scenes whose last turn is the seeker's. An answer without a reply becomes `silence`; a
/// failed request sets the scene's refusal.
void answer(const std::vector<Scene*>& open, const Supporter& supporter);

/// Removes the scenes that are no longer open.
template <class OneScene>
void remove_closed(std::vector<OneScene*>& scenes) {
  std::erase_if(scenes, [](const Scene* scene) { return !scene->open(); });
}

/// Plays all scenes in parallel until none is open. In each round `speak(open)` adds the seekers' turns, the supporter
/// answers, and `answered(scene, round)` is called for each answered scene; true ends the scene. Rounds count from 1.
template <class OneScene, class Speak, class Answered>
void play(std::vector<OneScene>& scenes, const Supporter& supporter, Speak&& speak, Answered&& answered) {
  std::vector<OneScene*> open;
  for (OneScene& scene : scenes) open.push_back(&scene);
  remove_closed(open);
  for (int64_t round = 1; !open.empty(); ++round) {
    speak(open), remove_closed(open);
    answer({open.begin(), open.end()}, supporter), remove_closed(open);
    for (OneScene* scene : open) scene->over = answered(*scene, round);
    remove_closed(open);
  }
}

}  // namespace compeer::evaluating
