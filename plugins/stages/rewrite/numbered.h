#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::stages {

/// Lines with their numbers, from 1: "1: text". White space within a text becomes single spaces, so that it is one
/// line.
std::string numbered(const std::vector<std::string>& texts);

/// The texts of exactly `count` numbered lines, in order, none of them empty; blank lines do not matter. Nothing for
/// anything else, and then why.
struct Numbered {
  std::optional<std::vector<std::string>> texts;
  std::string refusal;
};
Numbered read_numbered(std::string_view text, size_t count);

}  // namespace compeer::stages
