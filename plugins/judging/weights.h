#pragma once
#include <string>

namespace compeer::judging {

/// SHA-256 of all weights in a model's folder: another judge, another text. Throws Error (exit 4) if there are none.
std::string weights_of(const std::string& folder);

}  // namespace compeer::judging
