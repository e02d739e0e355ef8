#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace compeer::stages {

/// The text with one word in six, at least one, left out, said twice, or exchanged with the next; characters, if it has
/// no spaces. `uniform(n)` is the n-th of its random numbers in [0, 1). A text of a single word is said twice.
std::string scramble(const std::string& text, const std::function<double(uint32_t)>& uniform);

}  // namespace compeer::stages
