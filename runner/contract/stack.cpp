#include "contract/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/scratch.h"
#include "launch/process.h"

namespace compeer::contract {

namespace fs = std::filesystem;

namespace {

constexpr size_t most_lines = 12;
constexpr auto patience = std::chrono::seconds(10);

// "/x/rewards/length.so(+0x1a2b)[0x7f...]" -> 0x1a2b; 0 if there is a name instead of a number.
unsigned long offset_in(const std::string& frame, const std::string& library) {
  const auto start = library + "(+0x";
  return frame.starts_with(start) ? std::stoul("0x" + frame.substr(start.size()), nullptr, 16) : 0;
}

// A line for each offset, or nothing if they can't be had.
std::vector<std::string> looked_up(const fs::path& library, const std::vector<unsigned long>& offsets) {
  const Scratch scratch;
  const auto log = scratch.folder() / "lines.txt";
  std::vector<std::string> command{"addr2line", "-Cfpe", library.string()};
  for (const auto offset : offsets) command.push_back(fmt::format("{:#x}", offset - 1));  // within the call
  std::vector<std::string> lines;
  try {
    launch::Process process({command, {}, log});
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (process.running() && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (process.running() || process.end().exit != 0) return {};
    std::istringstream text(read_file(log, 1 << 20));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
  } catch (const Error&) {  // it isn't installed
  }
  return lines.size() == offsets.size() ? lines : std::vector<std::string>();
}

std::string without_unknown(const std::string& line) {
  const auto unknown = line.find(" at ??:");
  return unknown == std::string::npos ? line : line.substr(0, unknown);
}

std::vector<std::string> with_names(std::vector<std::string> lines, const fs::path& library) {
  std::vector<unsigned long> offsets;
  std::vector<size_t> places;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (const auto offset = offset_in(lines[i], library.string()); offset > 0) {
      offsets.push_back(offset);
      places.push_back(i);
    }
  }
  const auto known = offsets.empty() ? std::vector<std::string>() : looked_up(library, offsets);
  for (size_t i = 0; i < known.size(); ++i) {
    if (!known[i].starts_with("??")) lines[places[i]] = without_unknown(known[i]);
  }
  return lines;
}

// Equal lines that follow each other are one.
std::vector<std::string> short_list(const std::vector<std::string>& lines) {
  std::vector<std::string> all;
  for (size_t i = 0, count = 1; i < lines.size(); i += count, count = 1) {
    if (all.size() == most_lines) {
      all.push_back(fmt::format("... {} more", lines.size() - i));
      break;
    }
    while (i + count < lines.size() && lines[i + count] == lines[i]) ++count;
    all.push_back(count == 1 ? lines[i] : fmt::format("{}  ({} times)", lines[i], count));
  }
  return all;
}

}  // namespace

std::vector<std::string> readable_stack(const std::vector<std::string>& frames, const fs::path& library) {
  const auto own = [&](const std::string& frame) { return frame.starts_with(library.string() + "("); };
  const auto first = std::find_if(frames.begin(), frames.end(), own);
  const auto last = std::find_if(frames.rbegin(), frames.rend(), own).base();
  if (first == frames.end()) return short_list(frames);
  return short_list(with_names({first, last}, library));
}

}  // namespace compeer::contract
