#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace compeer::report {

/// A stretch of text and what it is: the tag around it, the role of who speaks, or "" for plain text.
struct Passage {
  std::string name, text;
};

/// A completion by its tags: "<history>A</history> B" -> {history, A}, {"", B}. A tag is a name of lower-case letters,
/// digits and _, closed by the same name before it is opened again; what is not like that is left as it stands. Outer
/// white space is dropped, and with it passages that hold nothing else.
std::vector<Passage> by_tags(std::string_view completion);

/// A prompt in the chat markup <|im_start|>ROLE ... <|im_end|>, by its turns; any other prompt is one passage. A turn
/// that is only opened (the one to be written) is dropped.
std::vector<Passage> by_turns(std::string_view prompt);

/// At most `most` bytes, cut between characters, with a note of how much is missing.
std::string cut(const std::string& text, size_t most);

}  // namespace compeer::report
