#pragma once
#include <optional>
#include <string>

#include "base/error.h"
#include "lua/sandbox.h"

namespace compeer::lua {

/// Result of a script: its output and the error that ended it (empty if none).
struct Outcome {
  std::string printed, where, problem, help;
  int exit = 0;
};

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
