#pragma once
#include <optional>
#include <string>
#include <string_view>

// The text format of completions: what a policy (the trained model) generates for a dialogue of emotional support. In a
// dialogue the seeker asks for support and the supporter gives it. A completion has three reasoning steps in tags, then
// the supporter's reply. Rewards, data sets and evaluations parse and print completions here.

namespace compeer::empathy {

/// The parts of a completion: three reasoning steps and the reply to the seeker. The text of a completion is
///
///   <history>STEP 1</history><emotion>STEP 2</emotion><strategy>STEP 3</strategy>
///   REPLY
///
/// No part is empty, starts or ends with white space, or contains one of the six tags.
struct Structured {
  std::string history;   ///< step 1: the state of the conversation
  std::string emotion;   ///< step 2: the seeker's feelings
  std::string strategy;  ///< step 3: how the reply will help
  std::string reply;     ///< the supporter's next turn

  bool operator==(const Structured&) const = default;
};

/// A parsed completion, or the first reason why the text is not in the format.
struct Parsed {
  std::optional<Structured> value;  ///< the parts; empty if the text was refused
  std::string refusal;              ///< reason of the refusal, for messages; empty if and only if there is a value

  /// True if there is a value.
  explicit operator bool() const { return value.has_value(); }
};

/// Parses a completion strictly: all three steps, once each and in order, separated by nothing but white space, then a
/// reply. White space around a part is removed. `parse(print(x)).value == x` for every printable x.
Parsed parse(std::string_view text);

/// Returns the text of a completion, as `parse` parses it. Throws std::invalid_argument if a part is empty, starts or
/// ends with white space, or contains a tag.
std::string print(const Structured& parts);
/// Returns the text of the three steps with their tags, without the reply. Throws std::invalid_argument as `print`
/// does, but ignores the reply.
std::string print_steps(const Structured& parts);

/// The reasoning steps found in a text that may be malformed. A step is found if its first opening tag is followed by
/// its closing tag with no other tag between them.
struct Steps {
  std::optional<std::string> history, emotion, strategy;  ///< trimmed text, may be ""; nullopt if the step is not found
};
/// Finds the steps in any text.
Steps steps_of(std::string_view text);

/// Returns the text after the last "</think>", which ends the thought of a reasoning model; the whole text if it does
/// not contain "</think>".
std::string_view strip_thought(std::string_view text);

/// Returns the reply in a text that may be malformed: the trimmed text after any thought and after the last of the six
/// tags (`<history>` to `</strategy>`). Empty if the last tag is an opening one.
std::string reply_of(std::string_view text);

}  // namespace compeer::empathy
