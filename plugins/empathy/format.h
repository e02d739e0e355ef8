#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace compeer::empathy {

/// A completion in parts: three reasoning steps, then the reply to the seeker. Written as
///
///   <history>STEP 1</history><emotion>STEP 2</emotion><strategy>STEP 3</strategy>
///   REPLY
///
/// No part is empty, starts or ends with white space, or contains one of the six tags.
struct Structured {
  std::string history;   ///< step 1: the state of the conversation
  std::string emotion;   ///< step 2: the seeker's feelings
  std::string strategy;  ///< step 3: how the reply will help
  std::string reply;

  bool operator==(const Structured&) const = default;
};

/// The parsed completion, or the first reason why the text is not in the format.
struct Parsed {
  std::optional<Structured> value;
  std::string refusal;  ///< empty if and only if there is a value

  explicit operator bool() const { return value.has_value(); }
};

/// Parses a completion strictly: all three steps, once each and in order, separated by nothing but white space, then a
/// reply. White space around a part is removed. `parse(print(x)).value == x` for every printable x.
Parsed parse(std::string_view text);

/// Returns the canonical text. Throws std::invalid_argument if a part is empty, starts or ends with white space, or
/// contains a tag.
std::string print(const Structured& parts);
/// Returns the text of the steps without the reply; throws as `print` does.
std::string print_steps(const Structured& parts);

/// The steps found in a text that may be malformed. A step is found if its first opening tag is followed by its closing
/// tag with no other tag between them; its text is trimmed and may be empty.
struct Steps {
  std::optional<std::string> history, emotion, strategy;
};
Steps steps_of(std::string_view text);

/// Returns the text after the last "</think>", the end of a reasoning model's thought, or the whole text if there is
/// none.
std::string_view strip_thought(std::string_view text);

/// Returns the reply in a text that may be malformed: the trimmed text after any thought and after the last of the six
/// tags. Empty if the last tag is an opening one.
std::string reply_of(std::string_view text);

}  // namespace compeer::empathy
