#include "launch/slurm/words.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "spec/text.h"

namespace compeer::launch {

namespace {

bool plain(const std::string& text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  return !text.empty() && text.find_first_not_of(harmless) == std::string::npos;
}

}  // namespace

std::string shell_word(const std::string& text) {
  if (plain(text)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string directive(const std::string& option) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(option.begin(), option.end(), is_control)) {
    throw Error(spec::printable(option), "contains a control character, which a batch script can't hold",
                "give the file or folder another name", Exit::usage);
  }
  if (plain(option)) return "#SBATCH " + option + "\n";
  std::string line = "#SBATCH \"";
  for (const char c : option) line += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return line + "\"\n";
}

std::string output_path(const std::string& path) {
  if (path.find('\\') != std::string::npos) {
    throw Error(path, "contains a backslash, which Slurm reads as an escape in the path of a job's output",
                "write elsewhere with --results DIR", Exit::usage);
  }
  std::string text;
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

}  // namespace compeer::launch
