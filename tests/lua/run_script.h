#pragma once
#include <optional>
#include <string>

#include "base/error.h"
#include "lua/sandbox.h"

namespace compeer::lua {

/// Result of a script.
struct Outcome {
  std::string printed;               ///< its output
  std::string where, problem, help;  ///< parts of the Error that ended it: place, message, remedy; empty if none
  int exit = 0;                      ///< exit code of that error; 0 if none
};

/// Runs the text of a script in a sandbox. `folder`: base of the modules that it may load with `require`.
inline Outcome run_script(const std::string& text, const Limits& limits = {}, const std::string& folder = ".") {
  Outcome outcome;
  Sandbox sandbox({limits, [&](std::string_view line) { outcome.printed += line; }});
  try {
    sandbox.run_text(text, "script.lua", folder);
  } catch (const Error& error) {
    outcome.where = error.where();
    outcome.problem = error.problem();
    outcome.help = error.help();
    outcome.exit = static_cast<int>(error.exit());
  }
  return outcome;
}

}  // namespace compeer::lua
