#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace compeer::evaluating::sage {

/// What a simulator answers. Its sections are found by their names, in any order and with whatever stands around them:
/// "**Change**：+5", "\"Change\": 5". The last section of a name counts. A thought that ends with </think> is not read.

/// The first answer: what a reply does to the seeker.
struct Planning {
  std::string content, target_completion, activity, analyse;  ///< may be empty
  int64_t change = 0;                                         ///< as written: not cut
};

/// Nothing without a number after "Change:", which alone is needed. It is the first one there: "[+-]?[0-9]+".
std::optional<Planning> read_planning(std::string_view answer);

/// The sections as they are shown to the simulator again.
std::string shown(const Planning& planning);

/// The second: what the seeker says.
struct SeekerAnswer {
  std::string thinking;  ///< may be empty
  std::string text;  ///< what follows the last "Response:"; line ends, "[", "]" and curly quotes around it are left out
};

/// Nothing if there is no "Response:", or no word behind it.
std::optional<SeekerAnswer> read_said(std::string_view answer);

}  // namespace compeer::evaluating::sage
