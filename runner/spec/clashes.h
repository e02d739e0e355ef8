#pragma once
#include <string>
#include <vector>

#include "spec/text.h"

namespace compeer::spec {

/// Two settings that can't both be meant.
struct Clash {
  std::string path;  ///< of the one that gives way
  std::string what, help;
};

/// Those of a resolved spec, whose values are right one by one. A setting that merely does nothing just now (a
/// divisor's value while the divisor is another, a loss's own settings with another loss) is no clash, so that sweeps
/// can go over the other.
std::vector<Clash> clashes(const nlohmann::json& values);

}  // namespace compeer::spec
