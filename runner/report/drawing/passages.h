#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Splitting of recorded prompts and completions into parts for display.
namespace compeer::report {

/// A piece of text with a name.
struct TaggedText {
  std::string name;  ///< name of its tag ("history") or role of its speaker ("user"); empty for plain text
  std::string text;
};

/// Splits a completion by its tags: "<history>A</history> B" -> {history, A}, {"", B}. A tag is a name of lower-case
/// letters, digits and _ that is closed before it is opened again; everything else is plain text. Surrounding white
/// space and empty pieces are dropped.
std::vector<TaggedText> by_tags(std::string_view completion);

/// Splits a prompt in chat markup, <|im_start|>ROLE ... <|im_end|>, into turns named by their roles; any other prompt
/// is one piece without a name. Empty turns (such as the one to be generated) are dropped.
std::vector<TaggedText> by_turns(std::string_view prompt);

/// Returns at most the first `most` bytes of UTF-8 text, cut at a character boundary. If it is truncated, appends " …
/// (N more bytes)".
std::string cut(const std::string& text, size_t most);

}  // namespace compeer::report
