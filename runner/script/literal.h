#pragma once
#include <map>
#include <string>

namespace compeer::script {

/// On which line each key of a table stands that is written out in a call of `with`, `experiment` or `sweep` on or
/// after `line`. Lua itself knows only the line of the call. Paths are those of the spec: "grpo.lr",
/// "rewards[0].weight". Nothing if the call is given a variable.
std::map<std::string, int> key_lines(const std::string& source, int line);

}  // namespace compeer::script
