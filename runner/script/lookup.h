#pragma once
#include <string>

#include "spec/spec.h"

namespace compeer::script {

/// The value at a dotted path, or nullptr. Throws Error if the path is malformed.
const spec::json* look(const spec::json& values, const std::string& path);

/// Error: there is nothing at the path, with the nearest name in the last table that is there. `owner` is what has no
/// such setting: "the experiment".
[[noreturn]] void refuse_path(const std::string& owner, const spec::json& values, const std::string& path);

/// A value as people read it: texts without quotes.
std::string show(const spec::json& value);

/// What a script may see of a run's settings: all but the texts of files that they name, which it couldn't read itself.
spec::json visible(const spec::Spec& spec);

}  // namespace compeer::script
