#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace compeer::empathy {

/// A completion in parts: three reasoning steps, then what is said to the seeker. Written as
///
///   <history>STEP 1</history><emotion>STEP 2</emotion><strategy>STEP 3</strategy>
///   REPLY
///
/// No part is empty, starts or ends with white space, or holds one of the six tags.
struct Structured {
  std::string history;   ///< step 1: where the conversation stands
  std::string emotion;   ///< step 2: what the seeker feels
  std::string strategy;  ///< step 3: how the reply will help
  std::string reply;

  bool operator==(const Structured&) const = default;
};

/// Either the parts, or the first reason why the text is not in the format.
struct Parsed {
  std::optional<Structured> value;
  std::string refusal;  ///< empty if and only if there is a value

  explicit operator bool() const { return value.has_value(); }
};

/// Strict: all three steps, once each, in order, nothing between them but white space, then a reply.
/// White space around parts is not part of them. `parse(print(x)).value == x` for every printable x.
Parsed parse(std::string_view text);

/// The one canonical text. Throws std::invalid_argument if a part is empty, has outer white space or holds a tag.
std::string print(const Structured& parts);
/// Its steps alone.
std::string print_steps(const Structured& parts);

/// The steps a text does have, whatever its faults: for judging what is there and counting what is not.
/// A step counts if its first opening tag is followed by its closing tag, with no other tag between; it may be empty.
struct Steps {
  std::optional<std::string> history, emotion, strategy;
};
Steps steps_of(std::string_view text);

/// What follows a thought, if a text begins with one in the way of reasoning models: "<think>...</think>".
std::string_view after_thought(std::string_view text);

/// The reply of any text, whatever its faults: what follows a thought and the last tag, trimmed; the whole text if it
/// has neither; empty if the last tag opens a step that is never closed.
std::string reply_of(std::string_view text);

}  // namespace compeer::empathy
