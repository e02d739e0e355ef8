#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "compeer/settings.h"
#include "evaluating/optional_chat.h"

/// The settings of a stage that tests a model: part of the descriptor's "parameters".
#define COMPEER_SUPPORTER_SETTINGS                                                                 \
  R"json("supporter": {"type": "plugin", "kind": "chat", "default": null,)json"                    \
  R"json("help": "the model that is tested; may be unset where all dialogues are recorded"},)json" \
  R"json("supporter_prompt": {"type": "path", "default": null,)json"                               \
  R"json("help": "a text that it is given as the system's turn; unset: none"},)json"               \
  R"json("supporter_temperature": {"type": "number", "default": 0.0, "min": 0,)json"               \
  R"json("help": "of its answers; 0: the likeliest"},)json"                                        \
  R"json("supporter_tokens": {"type": "integer", "default": 512, "min": 1, "help": "of an answer of it at most"},)json"

namespace compeer::evaluating {

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
  Supporter(const Settings& settings, Host& host);

  /// Answers dialogues that end with the seeker, side by side. Throws Error (exit 4) if there are any and no model is
  /// set.
  std::vector<Answer> answer(const std::vector<std::vector<Turn>>& dialogues) const;

  /// Whether there is a model; its name, or "".
  explicit operator bool() const { return bool(chat_); }
  std::string model() const { return chat_.model(); }
  /// What its answers depend on besides settings: for `Stage::ingredients`.
  const std::string& prompt() const { return prompt_; }

 private:
  OptionalChat chat_;
  std::string prompt_;
  double temperature_;
  int64_t max_tokens_;
};

/// An answer as a turn of a transcript, which is a record's "turns": {"role", "text"} and, if there are any, "steps".
nlohmann::json turn_of(const Answer& answer);

/// What is heard of a completion.
Answer heard(const std::string& completion);

}  // namespace compeer::evaluating
