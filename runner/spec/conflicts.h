#pragma once
#include <string>
#include <vector>

#include "spec/text.h"

namespace compeer::spec {

/// A contradiction between two settings, each of which is valid by itself.
struct Conflict {
  std::string path;        ///< the setting to which the error points
  std::string what, help;  ///< complete message, with the setting's name; remedy
};

/// Returns the contradictions in a resolved spec whose values are valid one by one. A setting that merely has no effect
/// (`divisor_value` with another divisor, settings of one loss while another is used) is not reported, so that a sweep
/// may vary the setting on which the effect depends.
std::vector<Conflict> conflicts(const nlohmann::json& values);

}  // namespace compeer::spec
