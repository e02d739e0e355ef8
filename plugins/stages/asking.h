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

namespace compeer::stages {

/// A stage's prompt in each available language: <folder>/<language>/<name>.txt, with languages "en" and "zh". The
/// folder is the setting `prompts`; otherwise the prompts that the chat plugin of the setting `chat` ships for itself
/// (plugins/chat/prompts/<plugin>, for scripted players); otherwise the prompts next to the stages. A missing language
/// is replaced by the other one, which is logged once.
///
/// Models must not learn which record they are asked about, so only prompts shipped by a chat plugin may have the slot
/// `case_slot`.
class StagePrompt {
 public:
  /// `slots`: names of the prompt's slots. Throws Error (exit 4) if the prompt exists in no language or has other
  /// slots.
  StagePrompt(const Settings& settings, Host& host, const std::string& chat, const std::string& name,
              const std::vector<std::string>& slots);

  /// Returns the prompt in the record's language, or in the other one if there is none.
  const empathy::PromptTemplate& of(const nlohmann::json& record) const;

  /// Returns that prompt with its slots filled; adds the record's id for `case_slot`.
  std::string fill(const nlohmann::json& record, std::map<std::string, std::string> values) const;

  /// Returns the hashes of all languages, for Stage::cache_key.
  std::string hashes() const;

 private:
  void note_missing(const std::string& language) const;

  Host& host_;
  std::string folder_, file_;  // "prompts", "filter.txt"
  std::map<std::string, empathy::PromptTemplate> by_language_;
};

/// Returns true if the record's "language" begins with "zh"; it is then shown and asked about in Chinese.
bool chinese(const nlohmann::json& record);

/// A question to a chat model, and its result.
struct ChatQuestion {
  std::string prompt;
  /// Called with an answer. Returns "" if it is accepted, otherwise the problem; the question is then asked again with
  /// another draw. Called in the order of the questions.
  std::function<std::string(const std::string& answer)> take;
  std::vector<std::string> pictures = {};  ///< image files shown before the prompt
  std::vector<std::string> choices = {};   ///< the possible answers, if known
  std::string refusal = {};                ///< result: "" or one of the constants below
  std::string answer = {};                 ///< result: the last answer, unmodified
};

/// Returns the maximum number of attempts per question: `tries`, or 1 if another draw could not change the answer,
/// which is at temperature 0 with an endpoint that receives no seed (`omit`). `chat`: the setting that names the chat
/// model.
int64_t most_tries(int64_t tries, double temperature, const Settings& settings, const std::string& chat);

/// How a stage sends requests to the chat model of the setting `chat`, which may be in another table (`chats`) than the
/// rest.
struct Asking {
  Asking(const Settings& settings, const Settings& chats, const std::string& chat)
      : temperature(settings.number("temperature")),
        max_tokens(settings.integer("max_tokens")),
        tries(most_tries(settings.integer("tries"), temperature, chats, chat)) {}
  Asking(const Settings& settings, const std::string& chat) : Asking(settings, settings, chat) {}

  /// Sampling temperature; 0: greedy decoding.
  double temperature;
  /// Maximum tokens per answer, and maximum attempts per question.
  int64_t max_tokens, tries;
};

/// Values of ChatQuestion::refusal: categories shared by records.
inline constexpr const char *no_answer = "no answer", *malformed = "malformed answer", *empty_answer = "empty answer",
                            *cut_off = "answer cut off at max_tokens";
/// Asks all questions in parallel, up to `tries` times each. Failed requests are not repeated, because the chat model
/// has retried them. Reports answers that were not accepted to the host, and returns their number.
int64_t ask(Chat& chat, std::vector<ChatQuestion>& questions, const Asking& asking);

/// Returns the outcome that drops a record because its question has a refusal, with the last answer.
Outcome dropped(const ChatQuestion& question);

/// Adds `answers`, the number `ask` returned, to the counts of the first outcome unless it is 0.
void count_malformed(int64_t answers, std::vector<Outcome>& outcomes);

/// Returns a dialogue as prompts show it: a line "Seeker: ..." or "Supporter: ..." for each turn, in the record's
/// language, without system turns. Pictures are shown as "[picture 1]", numbered through the dialogue in the order of
/// `pictures_of`.
std::string shown(const std::vector<Turn>& turns, const nlohmann::json& record);

/// Returns the image files of all turns, or none if `sees` is false (the setting `pictures`).
std::vector<std::string> pictures_of(const std::vector<Turn>& turns, bool sees);

/// Adds {"model", "prompt"} of a generated field to the record's "provenance"; "prompt" is a SHA-256.
void note_provenance(nlohmann::json& record, const std::string& field, const std::string& model,
                     const empathy::PromptTemplate& prompt);

}  // namespace compeer::stages
