#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "compeer/settings.h"
#include "empathy/prompt.h"
#include "stages/records.h"

// Questions of a data run's stages to chat models (chat plugins): prompts, repeated attempts, refused answers, and the
// provenance of generated fields.

namespace compeer::stages {

/// A prompt template of a stage, in English and Chinese: <folder>/<language>/<name>.txt, with the languages "en" and
/// "zh". The folder is the value of the setting `prompts`. If it is unset, it is the folder that the selected chat
/// plugin ships for itself (plugins/chat/prompts/<plugin>, for scripted models), otherwise that of the prompts next to
/// the stages. If one language is missing, the other one replaces it, which is logged once.
///
/// Models must not learn the identity of a record, so only prompts shipped by a chat plugin may have the slot {id}
/// (`case_slot`).
class StagePrompt {
 public:
  /// `chat`: name of the setting that selects the chat plugin. `name`: name of the prompt file without ".txt". `slots`:
  /// names of the slots that the prompt must have. Throws Error (exit code 4: invalid data) if the prompt exists in no
  /// language or has other slots.
  StagePrompt(const Settings& settings, Host& host, const std::string& chat, const std::string& name,
              const std::vector<std::string>& slots);

  /// Returns the template in the record's language, or in the other one if that is missing.
  const empathy::PromptTemplate& of(const nlohmann::json& record) const;

  /// Returns that template with its slots filled. `values`: texts by slot; the record's id is added for {id}.
  std::string fill(const nlohmann::json& record, std::map<std::string, std::string> values) const;

  /// Returns the SHA-256 of the template in each language, as a text for Stage::cache_key.
  std::string hashes() const;

 private:
  // Logs, once for each folder and language, that this language is missing.
  void note_missing(const std::string& language) const;

  Host& host_;
  std::string folder_, file_;                                   // "prompts", "filter.txt"
  std::map<std::string, empathy::PromptTemplate> by_language_;  // key: "en" or "zh"
};

/// Returns true if the record's "language" begins with "zh"; it is then shown and asked about in Chinese.
bool chinese(const nlohmann::json& record);

/// A question to a chat model, and its result (set by `ask`).
struct ChatQuestion {
  std::string prompt;
  /// Called by `ask` with each complete answer, in the order of the questions. Parses and stores the answer. Returns ""
  /// if it is accepted, otherwise the problem; the question is then asked again with another sample index.
  std::function<std::string(const std::string& answer)> take;
  std::vector<std::string> pictures = {};  ///< image files shown before the prompt
  std::vector<std::string> choices = {};   ///< the possible answers, if known
  std::string refusal = {};                ///< result: "" if accepted, otherwise `no_answer`, `malformed`, ...
  std::string answer = {};                 ///< result: the last answer, unmodified
};

/// Returns the maximum number of attempts per question: `tries`, or 1 if another attempt would give the same answer.
/// That is so at temperature 0 if the chat plugin's setting `omit` contains "seed". `chat`: name of the setting that
/// selects the chat plugin.
int64_t most_tries(int64_t tries, double temperature, const Settings& settings, const std::string& chat);

/// Parameters of a stage's requests to a chat model, read from its settings.
struct Asking {
  /// Reads `temperature`, `max_tokens` and `tries` from `settings`. `chats`: the settings that contain the chat plugin;
  /// `chat`: the setting's name.
  Asking(const Settings& settings, const Settings& chats, const std::string& chat)
      : temperature(settings.number("temperature")),
        max_tokens(settings.integer("max_tokens")),
        tries(most_tries(settings.integer("tries"), temperature, chats, chat)) {}
  /// Reads all from `settings`.
  Asking(const Settings& settings, const std::string& chat) : Asking(settings, settings, chat) {}

  double temperature;  ///< sampling temperature; 0: greedy decoding
  int64_t max_tokens;  ///< maximum tokens per answer
  int64_t tries;       ///< maximum attempts per question
};

/// Values of ChatQuestion::refusal: the request failed, `take` refused the answer, the answer is empty, or it is longer
/// than `Asking::max_tokens`. Also used as reasons for dropping records.
inline constexpr const char *no_answer = "no answer", *malformed = "malformed answer", *empty_answer = "empty answer",
                            *cut_off = "answer cut off at max_tokens";
/// Asks all questions in parallel, each until its answer is accepted, at most `Asking::tries` times. Sets the results
/// in `questions`. Failed requests are not repeated, because the chat model has retried them. Reports answers that were
/// not accepted to the host (Chat::unreadable), and returns their number.
int64_t ask(Chat& chat, std::vector<ChatQuestion>& questions, const Asking& asking);

/// Returns the outcome that drops a record because its question has no accepted answer. The reason is the question's
/// refusal; the outcome also contains the last answer.
Outcome dropped(const ChatQuestion& question);

/// Reports the number of answers that were not accepted (the result of `ask`): adds it to the counts of the first
/// outcome unless it is 0.
void count_malformed(int64_t answers, std::vector<Outcome>& outcomes);

/// Returns a dialogue as prompts show it: a line "Seeker: ..." or "Supporter: ..." for each turn, in the record's
/// language, without system turns. Pictures are shown as "[picture 1]", numbered through the dialogue in the order of
/// `pictures_of`.
std::string shown(const std::vector<Turn>& turns, const nlohmann::json& record);

/// Returns the image files of all turns except system turns, in order; none if `sees` is false (the chat model takes no
/// images).
std::vector<std::string> pictures_of(const std::vector<Turn>& turns, bool sees);

/// Adds the origin of the generated field `field` to the record's "provenance": {"model": `model`, "prompt": the
/// SHA-256 of the prompt template}.
void note_provenance(nlohmann::json& record, const std::string& field, const std::string& model,
                     const empathy::PromptTemplate& prompt);

}  // namespace compeer::stages
