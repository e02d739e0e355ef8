#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace compeer::esc_world {

/// `text` with its slot (there is at most one of a kind) replaced.
std::string fill(std::string_view text, std::string_view slot, std::string_view value);

/// Parts with one space between.
std::string join(const std::vector<std::string>& parts);

/// Sentences of a text, each with its end mark; white space around them is dropped. What follows the last end
/// mark counts as a sentence too.
std::vector<std::string> sentences_of(std::string_view text);

}  // namespace compeer::esc_world
