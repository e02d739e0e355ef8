#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/dialogue.h"

// Parsing of prompts for the chat plugin `esc_world`. It plays chat models (annotators, writers, judges, seekers) for
// dialogues of a generated world, for tests without a model. A prompt contains the id of its dialogue, so that the
// plugin can find the true state of the seeker. A round is an utterance of the seeker and the supporter's reply.

namespace compeer::esc_world {

/// The task of a prompt, recognized by phrases of the prompts in plugins/chat/esc_world/prompts/en.
enum class Task {
  filter,         ///< is the dialogue suitable for training?
  generate,       ///< write a completion: three reasoning steps and a reply
  history,        ///< is the first reasoning step, about the state of the conversation, right?
  emotion,        ///< is the second reasoning step, about the seeker's emotion, right?
  strategy,       ///< is the third reasoning step, about the way to help, right?
  preference,     ///< which of two replies is better?
  persona,        ///< describe the seeker's behaviour by DISC traits
  rewrite,        ///< rewrite all lines in other words
  rewrite_as,     ///< rewrite all lines as if the seeker had another persona
  consistency,    ///< do a judge's verdicts on steps and replies contradict each other?
  role,           ///< ESC-Eval: the seeker's next utterance
  sage_planning,  ///< SAGE: the effect of the last reply on the seeker
  sage_reply,     ///< SAGE: the seeker's next utterance
  rating          ///< ESC-Eval: a score in one dimension
};

/// A parsed prompt.
struct ParsedPrompt {
  Task task = Task::filter;
  std::string id;                      ///< id of the record, such as "esc_world/train/000123/2"
  std::string split;                   ///< split of the dialogue ("train", "valid" or "test"), from the id
  uint32_t dialogue = 0;               ///< index of the dialogue in its split, from the id
  int round = -1;                      ///< index of the round, from the id; -1: the whole dialogue
  std::vector<WorldTurn> lines;        ///< the dialogue shown; for rewriting, all lines to be rewritten
  std::string step;                    ///< history, emotion, strategy: the text of the step to be judged
  std::array<std::string, 2> replies;  ///< preference, consistency: the first and the second reply
  std::string persona;                 ///< rewrite_as: the persona as empathy::print writes it
  std::array<std::string, 3> steps;    ///< consistency: the texts of the three steps
  std::string judged;                  ///< consistency: the judge's verdicts, such as "True, False, True; second"
  std::string dimension;               ///< rating: the dimension by ESC-Eval's key, such as "empathic"
};

/// Parses a prompt. Returns nullopt if it has no known task or is not about a dialogue of this world.
std::optional<ParsedPrompt> read_prompt(std::string_view prompt);

/// Parses the conversation of a chat model that plays a seeker. `system`: its system prompt. `turns`: the other turns.
/// Their roles are "assistant" (the played seeker) and "user" (the supporter); the result has them exchanged. Returns
/// nullopt if `system` is no such prompt.
std::optional<ParsedPrompt> read_role(std::string_view system, const std::vector<WorldTurn>& turns);

}  // namespace compeer::esc_world
