#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Parsers of the simulator's answers in the evaluation SAGE. The simulator is a chat model that plays a seeker, a
// person in need of emotional support. Each round has two answers: how the supporter's last reply changes the
// seeker's emotion, and the seeker's next utterance.
//
// An answer has sections such as "Change: 5". Sections are found by their names, in any order and despite formatting:
// "**Change**：+5", "\"Change\": 5". The last section of a name counts. Thoughts (up to "</think>") are ignored.

namespace compeer::evaluating::sage {

/// The first answer of a round: how a reply affects the seeker. The texts are the answer's sections and may be empty.
struct Planning {
  std::string content;            ///< "Content": the meaning of the reply
  std::string target_completion;  ///< "TargetCompletion": whether the reply serves the seeker's hidden intention
  std::string activity;           ///< "Activity": the seeker's thoughts
  std::string analyse;            ///< "Analyse": reasons for the change
  int64_t change = 0;             ///< "Change": change of the emotion in points, as written, not yet clamped
};

/// Parses the first answer of a round. Requires only a number in the section "Change"; the first one counts. Empty if
/// there is no number.
std::optional<Planning> read_planning(std::string_view answer);

/// Returns the sections as lines of text, for the prompt of the simulator's second answer.
std::string shown(const Planning& planning);

/// The second answer of a round: the seeker's next utterance.
struct SeekerAnswer {
  std::string thinking;  ///< "Thinking": the seeker's unspoken thoughts; may be empty
  std::string text;      ///< the utterance: all text after the last "Response:", without brackets and quotes around it
};

/// Parses the second answer of a round. Empty if there is no "Response:" or no text after it.
std::optional<SeekerAnswer> parse_utterance(std::string_view answer);

}  // namespace compeer::evaluating::sage
