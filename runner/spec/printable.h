#pragma once
#include <string>
#include <string_view>

namespace compeer::spec {

/// The same as `printable` (text.h) for texts of several lines, of any length: line ends and tabs stay as they are.
std::string printable_lines(std::string_view text);

/// An error as it is told to people: fit for a terminal, and without secrets that its text may quote.
std::string error_text(const std::string& text);

}  // namespace compeer::spec
