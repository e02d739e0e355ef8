#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/dialogue.h"

namespace compeer::esc_world {

/// The task of a prompt, recognized by phrases of the prompts in plugins/chat/esc_world/prompts/en.
enum class Task {
  filter,
  generate,
  history,
  emotion,
  strategy,
  preference,
  persona,
  rewrite,
  rewrite_as,
  consistency,
  role,           ///< ESC-Eval: the seeker's next utterance
  sage_planning,  ///< SAGE: the effect of the last reply on the seeker
  sage_reply,     ///< SAGE: the seeker's next utterance
  rating          ///< ESC-Eval: a score in one dimension
};

/// A parsed prompt.
struct ParsedPrompt {
  Task task = Task::filter;
  std::string id;     ///< id of the case
  std::string split;  ///< split of the dialogue, from the id
  uint32_t dialogue = 0;
  int round = -1;                      ///< index of the round; -1: the whole dialogue
  std::vector<WorldTurn> lines;        ///< the dialogue shown; for rewriting, all lines to be rewritten
  std::string step;                    ///< the step to be judged
  std::array<std::string, 2> replies;  ///< the replies to be compared
  std::string persona;                 ///< rewrite_as: the persona as empathy::print writes it
  std::array<std::string, 3> steps;    ///< consistency: the three steps
  std::string judged;                  ///< consistency: the judge's verdicts on steps and replies
  std::string dimension;               ///< rating: one of `dimensions` (counterpart.h)
};

/// Parses a prompt of the stages. Empty if it is not one about a dialogue of esc_world.
std::optional<ParsedPrompt> read_prompt(std::string_view prompt);

/// Parses the conversation of a role player. `system` is its prompt; in `turns` the role player has the role
/// "assistant" and the supporter "user", which are exchanged in the result.
std::optional<ParsedPrompt> read_role(std::string_view system, const std::vector<WorldTurn>& turns);

}  // namespace compeer::esc_world
