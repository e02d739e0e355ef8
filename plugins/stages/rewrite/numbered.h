#pragma once
#include <string>
#include <vector>

namespace compeer::stages {

/// Texts with their numbers from `first` on, each on one line: "1: text".
std::string numbered(const std::vector<std::string>& texts, size_t first = 1);

}  // namespace compeer::stages
