#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace compeer::stages {

/// Returns `text` with random damage: one word in six, at least one, is removed, repeated or exchanged with the next.
/// The stage spoil of a data run makes bad replies in this way, so that judges learn to detect them. In a text without
/// spaces, characters (UTF-8) take the place of words. A text of one word is repeated. `uniform(n)`: returns the n-th
/// random number in [0, 1).
std::string scramble(const std::string& text, const std::function<double(uint32_t)>& uniform);

}  // namespace compeer::stages
