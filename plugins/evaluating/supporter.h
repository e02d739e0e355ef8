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

// The model under test, and the loop that plays dialogues with it. Two evaluations use this header, SAGE and ESC-Eval;
// each is a stage (a step of a data run that processes records of data files). In a played dialogue a chat model acts
// as the seeker, a person in need of emotional support; the model under test is the supporter and answers. A scene is
// the state of one such dialogue.

/// Descriptions of the settings of the tested model (the supporter), as JSON. To be inserted into the "parameters" of
/// the descriptor of a stage's plugin.
#define COMPEER_SUPPORTER_SETTINGS                                                      \
  R"json("supporter": {"type": "plugin", "kind": "chat", "default": null,)json"         \
  R"json("help": "the tested model; may be unset if all dialogues are recorded"},)json" \
  R"json("supporter_prompt": {"type": "path", "default": null,)json"                    \
  R"json("help": "file with a system message for the tested model"},)json"              \
  R"json("supporter_temperature": {"type": "number", "default": 0.0, "min": 0,)json"    \
  R"json("help": "sampling temperature of the tested model; 0: greedy decoding"},)json" \
  R"json("supporter_tokens": {"type": "integer", "default": 512, "min": 1,)json"        \
  R"json("help": "maximum tokens per answer of the tested model"},)json"

/// Description of one more setting, for evaluations with a published system message for the tested model.
#define COMPEER_SUPPORTER_SYSTEM_SETTING                                              \
  R"json("supporter_system": {"type": "boolean", "default": true,)json"               \
  R"json("help": "without supporter_prompt, send the published system message; )json" \
  R"json(false: none, for models trained without one"},)json"

namespace compeer::evaluating {

/// The chat model of an optional setting. Recorded dialogues and judgements are scored without models, so an evaluation
/// requires a chat model only when it has a request to send.
class OptionalChat {
 public:
  /// Opens the chat model that the table `setting` of `settings` describes, if it is set. `host` owns the model.
  OptionalChat(const Settings& settings, Host& host, const std::string& setting);

  /// True if the setting is set.
  explicit operator bool() const { return chat_ != nullptr; }
  /// Returns the chat model. If the setting is unset, throws Error (exit code 4: the data can't be used) that names the
  /// setting. `why` is the beginning of the message: "record 'a' is to be played".
  Chat& require(const std::string& why) const;
  /// Returns the name of the model, or "" if the setting is unset.
  std::string model() const { return chat_ ? chat_->model() : ""; }

 private:
  Chat* chat_ = nullptr;  // null if the setting is unset; owned by the host
  std::string setting_;   // name of the setting, for messages
};

/// Values of Answer::refusal: the request failed, or the answer contains no reply.
inline constexpr const char *no_answer = "no answer", *no_reply = "no reply";
/// Text that the seeker receives in place of an empty reply, so that the dialogue can continue.
inline constexpr const char* silence = "...";

/// A parsed answer of the tested model. A model may write three reasoning steps before its reply, each in a tag:
/// history, emotion, strategy. The seeker receives only the reply: the text after the steps or after a thought that
/// ends with "</think>"; the whole answer if it has neither.
struct Answer {
  std::string reply;  ///< the reply; may be empty
  /// Texts of the steps, {"history", "emotion", "strategy"}, if the answer has all three in the correct format;
  /// otherwise null.
  nlohmann::json steps;
  std::string refusal;  ///< "", `no_answer` or `no_reply`
};

/// The model under test, with the settings for its requests. Const methods may send requests.
class Supporter {
 public:
  /// Opens the chat model of the setting `supporter`, if it is set. `published`: name of the prompt with the
  /// evaluation's published system message, such as "sage_supporter"; "" if it has none. A reference to `host` is kept.
  Supporter(const Settings& settings, Host& host, const std::string& published = "");

  /// Requests an answer to each dialogue, in parallel, and returns the answers in the order of `dialogues`. Each
  /// dialogue is a list of turns that ends with the seeker's. A system message from the settings or the published one
  /// replaces a dialogue's system turns. `languages`: "en" or "zh" for each dialogue. Throws Error (exit code 4) if
  /// there is a dialogue but no model.
  std::vector<Answer> answer(const std::vector<std::vector<Turn>>& dialogues,
                             const std::vector<std::string>& languages) const;

  /// True if a model is set.
  explicit operator bool() const { return bool(chat_); }
  /// Returns the name of the model, or "" if none is set.
  std::string model() const { return chat_.model(); }
  /// Returns a text that changes with the system message. Part of the stage's cache key, which decides whether stored
  /// results may be reused.
  std::string fingerprint() const { return published_ ? published_->hashes() : prompt_; }

 private:
  OptionalChat chat_;
  std::string prompt_;                            // system message from the file `supporter_prompt`; "" if unset
  std::optional<stages::StagePrompt> published_;  // the published system message, if it is to be sent
  double temperature_;                            // sampling temperature; 0: greedy decoding
  int64_t max_tokens_;                            // per answer
};

/// Converts an answer to a turn as records store it: {"role", "text"}, and "steps" if the answer has any.
nlohmann::json turn_of(const Answer& answer);

/// Splits the text of an answer into reply and steps. If the text is only a thought, the reply is empty and the refusal
/// is `no_reply`.
Answer parse_answer(const std::string& completion);

/// The state of a dialogue between a seeker and the tested model. The seeker begins. Evaluations derive their own
/// scenes.
struct Scene {
  nlohmann::json about;                                 ///< {"id", "language"} of the record, for filling prompts
  std::vector<Turn> turns = {};                         ///< all turns so far
  nlohmann::json transcript = nlohmann::json::array();  ///< the same turns as JSON, to be stored in the record
  std::string refusal = {};  ///< why the dialogue failed, as in "supporter: no answer"; empty while it has not
  int64_t silent = 0;        ///< number of the tested model's answers without a reply, replaced by `silence`
  bool over = false;         ///< true if the dialogue has ended by the evaluation's rules

  /// True if the dialogue can continue: it has neither ended nor failed.
  bool open() const { return refusal.empty() && !over; }

  /// Appends a turn, {"role", "text", ...}, to `turns` and `transcript`.
  void say(nlohmann::json turn) {
    turns.push_back({turn.at("role"), turn.at("text")});
    transcript.push_back(std::move(turn));
  }
};

/// Lets the tested model answer all scenes in one batch and appends its replies. The last turn of each scene must be
/// the seeker's. An answer without a reply becomes `silence`; a failed request sets the scene's refusal.
void answer(const std::vector<Scene*>& open, const Supporter& supporter);

/// Removes the pointers to scenes that are no longer open. `OneScene` is Scene or derived from it.
template <class OneScene>
void remove_closed(std::vector<OneScene*>& scenes) {
  std::erase_if(scenes, [](const Scene* scene) { return !scene->open(); });
}

/// Plays all scenes in parallel until none is open. Each round, numbered from 1, has three parts:
///   1. `speak(open)` adds the seekers' turns to the open scenes (a vector of pointers)
///   2. the supporter answers them
///   3. `answered(scene, round)` is called for each answered scene; the result true ends the scene
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
