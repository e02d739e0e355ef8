#pragma once
#include <string>

namespace compeer::launch {

/// A word as a shell reads it back: in single quotes unless nothing in it means anything to a shell.
std::string shell_word(const std::string& text);

/// "#SBATCH --job-name=x\n". sbatch reads these lines by rules of its own, not a shell's. Throws Error (exit 2) for
/// what no such line can hold: control characters, line breaks above all.
std::string directive(const std::string& option);

/// A path for --output: in it sbatch replaces nothing. Throws Error (exit 2) if it has a backslash.
std::string output_path(const std::string& path);

}  // namespace compeer::launch
