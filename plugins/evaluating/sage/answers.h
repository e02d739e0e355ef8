#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace compeer::evaluating::sage {

/// Parsers of the simulator's answers. Sections are found by their names, in any order and despite formatting:
/// "**Change**：+5", "\"Change\": 5". The last section of a name counts. Thoughts (up to "</think>") are ignored.

/// The first answer of a round: how a reply affects the seeker.
struct Planning {
  std::string content, target_completion, activity, analyse;  ///< may be empty
  int64_t change = 0;                                         ///< as written, not clamped to the rules
};

/// Parses the first answer. Requires only a number after "Change:"; the first one counts. Empty if there is none.
std::optional<Planning> read_planning(std::string_view answer);

/// Returns the sections as text for the simulator's second prompt.
std::string shown(const Planning& planning);

/// The second answer of a round: what the seeker says.
struct SeekerAnswer {
  std::string thinking;  ///< may be empty
  std::string text;      ///< the text after the last "Response:", without brackets and curly quotes around it
};

/// Parses the second answer. Empty if there is no "Response:" or no text after it.
std::optional<SeekerAnswer> parse_utterance(std::string_view answer);

}  // namespace compeer::evaluating::sage
