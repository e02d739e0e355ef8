#pragma once
#include <string>
#include <vector>

namespace compeer::launch {

/// What a program said when it was asked something.
struct ProgramOutput {
  int exit = -1;     ///< its exit code; 128 + the signal that ended it; 127 if it could not be started
  std::string text;  ///< standard output and standard error
};

/// Runs a program (looked up in PATH unless it has a slash) without standard input, with `variables` ("NAME=value")
/// added to the environment, and waits for it. One that takes longer than `seconds` is killed.
ProgramOutput ask_program(const std::vector<std::string>& command, const std::vector<std::string>& variables = {},
                          double seconds = 20);

/// What it said, if it ended well. Else throws Error: its own, if it is one of compeer's programs and told one.
std::string said_by(const std::string& program, const ProgramOutput& done);

}  // namespace compeer::launch
