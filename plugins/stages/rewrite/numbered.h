#pragma once
#include <string>
#include <vector>

namespace compeer::stages {

/// Lines with their numbers, from 1: "1: text". White space within a text becomes single spaces, so that it is one
/// line.
std::string numbered(const std::vector<std::string>& texts);

}  // namespace compeer::stages
