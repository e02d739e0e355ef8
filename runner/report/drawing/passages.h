#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace compeer::report {

/// A piece of text with the name of its tag or the role of its speaker; an empty name for plain text.
struct TaggedText {
  std::string name, text;
};

/// Splits a completion by its tags: "<history>A</history> B" -> {history, A}, {"", B}. A tag is a name of lower-case
/// letters, digits and _ that is closed before it is opened again; everything else is plain text. Surrounding white
/// space and empty passages are dropped.
std::vector<TaggedText> by_tags(std::string_view completion);

/// Splits a prompt in chat markup, <|im_start|>ROLE ... <|im_end|>, into turns; any other prompt is one passage. Empty
/// turns (such as the one to be generated) are dropped.
std::vector<TaggedText> by_turns(std::string_view prompt);

/// Truncates to at most `most` bytes at a character boundary, with a note of how much is missing.
std::string cut(const std::string& text, size_t most);

}  // namespace compeer::report
