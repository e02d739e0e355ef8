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

/// The prompt of a stage in the languages there are: <folder>/<language>/<name>.txt. The folder is that which the
/// setting `prompts` names; else the one which the chat plugin of the setting `chat` ships for itself alone, as players
/// of generated dialogues do (plugins/chat/prompts/<plugin>); else the one beside the stages. Where one language is
/// missing, the other one's prompt is used, and the log says so once; if both are, it throws Error (exit 4).
///
/// Who is asked must not learn which record it is about: only prompts that a chat plugin ships may show its id.
class StagePrompt {
 public:
  StagePrompt(const Settings& settings, Host& host, const std::string& chat, const std::string& name,
              const std::vector<std::string>& slots);

  /// In the record's language; in the other one, if there is none in that.
  const empathy::PromptTemplate& of(const nlohmann::json& record) const;

  /// That prompt with its slots filled.
  std::string fill(const nlohmann::json& record, std::map<std::string, std::string> values) const;

  /// Changes when any of them does: for `Stage::ingredients`.
  std::string hashes() const;

 private:
  void note_missing(const std::string& language) const;

  Host& host_;
  std::string folder_, file_;  // "prompts", "filter.txt"
  std::map<std::string, empathy::PromptTemplate> by_language_;
};

/// Whether what a record says is shown, and asked about, in Chinese.
bool chinese(const nlohmann::json& record);

/// What is asked of a chat model, and what becomes of the answer.
struct ChatQuestion {
  std::string prompt;
  /// Takes an answer, or says what is wrong with it: then the question is asked again with another draw.
  std::function<std::string(const std::string& answer)> take;
  std::vector<std::string> pictures = {};  ///< files that are shown before the prompt
  std::vector<std::string> choices = {};   ///< what the answer is to be one of, if that is known
  std::string refusal = {};                ///< afterwards: "", or why there is no answer that could be taken
  std::string answer = {};                 ///< afterwards: the last answer, as it came
};

/// How often a question is asked at most: `tries` times; once where another draw can't bring another answer, at
/// temperature 0 from an endpoint that is told no seed (`omit`). The setting `chat` names who is asked.
int64_t most_tries(int64_t tries, double temperature, const Settings& settings, const std::string& chat);

/// How a stage asks whom the setting `chat` names, which may stand in another table than the rest.
struct Asking {
  Asking(const Settings& settings, const Settings& chats, const std::string& chat)
      : temperature(settings.number("temperature")),
        max_tokens(settings.integer("max_tokens")),
        tries(most_tries(settings.integer("tries"), temperature, chats, chat)) {}
  Asking(const Settings& settings, const std::string& chat) : Asking(settings, settings, chat) {}

  double temperature;
  int64_t max_tokens, tries;
};

/// Asks all questions, side by side, up to `tries` times each; the host is told of answers that could not be taken.
/// The constants are the refusals, which many records share; each answer that could not be taken is counted in the
/// returned number.
inline constexpr const char *no_answer = "no answer", *malformed = "malformed answer", *empty_answer = "empty answer",
                            *cut_off = "answer cut off at max_tokens";
int64_t ask(Chat& chat, std::vector<ChatQuestion>& questions, const Asking& asking);

/// What becomes of a record whose question has a refusal.
Outcome dropped(const ChatQuestion& question);

/// Reports that number with the first of the outcomes, if it is not 0.
void count_malformed(int64_t answers, std::vector<Outcome>& outcomes);

/// A dialogue as prompts show it: a line for each turn, "Seeker: ...", in the record's language; a system turn, which
/// nobody said, has none. Where a turn shows pictures stands "[picture 1]", counted through the dialogue as
/// `pictures_of` lists them.
std::string shown(const std::vector<Turn>& turns, const nlohmann::json& record);

/// The files of all pictures that the turns show; none where nobody `sees` them (the setting `pictures`).
std::vector<std::string> pictures_of(const std::vector<Turn>& turns, bool sees);

/// Adds {"model", "prompt"} of a field that was generated to the record's "provenance".
void note_provenance(nlohmann::json& record, const std::string& field, const std::string& model,
                     const empathy::PromptTemplate& prompt);

}  // namespace compeer::stages
