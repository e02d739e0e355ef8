#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/dialogue.h"

namespace compeer::esc_world {

/// What a prompt of the stages asks, recognised by its words (plugins/empathy/prompts/en).
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
  role,           ///< ESC-Eval: what the seeker says next
  sage_planning,  ///< SAGE: how the last reply moved the seeker
  sage_reply,     ///< SAGE: what they say next
  rating          ///< ESC-Eval: a score in one dimension
};

/// A prompt, taken apart.
struct ParsedPrompt {
  Task task = Task::filter;
  std::string id;     ///< the case
  std::string split;  ///< out of the id: whose dialogue it is, and at which round
  uint32_t dialogue = 0;
  int round = -1;                      ///< -1: the whole dialogue
  std::vector<WorldTurn> lines;        ///< the dialogue that is shown; of a rewriting, all its lines
  std::string step;                    ///< the step that is judged
  std::array<std::string, 2> replies;  ///< those that are compared
  std::string persona;                 ///< who is to speak, as printed
  std::array<std::string, 3> steps;    ///< consistency: all steps
  std::string judged;                  ///< and what a judge said of them and of the replies
  std::string dimension;               ///< rating: counterpart.h
};

/// Nothing if it is no prompt of the stages about a dialogue of esc_world.
std::optional<ParsedPrompt> read_prompt(std::string_view prompt);

/// The same of a role player's conversation: `system` holds the prompt; in `turns` the role player is the assistant and
/// the supporter the user.
std::optional<ParsedPrompt> read_role(std::string_view system, const std::vector<WorldTurn>& turns);

}  // namespace compeer::esc_world
