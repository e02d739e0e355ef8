// Reads, writes and applies allow lists.
#include "plugin/allow_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <tuple>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "spec/text.h"

namespace compeer::plugin {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t largest_list = 4 << 20;
constexpr const char* head =
    "# List of allowed plugins: the SHA-256 of each library that may run. Written by `compeer plugins lock`; used "
    "with\n"
    "# --locked or if COMPEER_LOCKED names this file.\n";

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

[[noreturn]] void refuse_list(const std::string& where, const std::string& what) {
  throw Error(where, what, "write a list of allowed plugins with compeer plugins lock --output FILE", Exit::plugin);
}

Allowed read_line(const std::string& line, const std::string& where) {
  std::istringstream words(line);
  Allowed one;
  std::string title, more;
  words >> one.sha256 >> title >> one.version;
  const auto slash = title.find('/');
  if (!is_hash(one.sha256) || slash == std::string::npos || slash == 0 || slash + 1 == title.size() || words >> more)
    refuse_list(where, "is not a line of a list of allowed plugins: " + spec::printable(line));
  one.kind = title.substr(0, slash);
  one.name = title.substr(slash + 1);
  return one;
}

}  // namespace

std::string allow_list_text(std::vector<Allowed> plugins) {
  const auto key = [](const Allowed& one) { return std::tie(one.kind, one.name, one.sha256, one.version); };
  std::sort(plugins.begin(), plugins.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::string text = head;
  for (const auto& one : plugins) text += fmt::format("{}  {}/{}  {}\n", one.sha256, one.kind, one.name, one.version);
  return text;
}

std::vector<Allowed> read_allow_list(const fs::path& file) {
  std::string text;
  try {
    text = read_file(file, largest_list);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    refuse_list(file.string(), "plugin allow list " + error.problem());
  }
  std::vector<Allowed> plugins;
  std::istringstream lines(text);
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    plugins.push_back(read_line(line, fmt::format("{}:{}", file.string(), number)));
  }
  return plugins;
}

std::vector<fs::path> AllowLists::wanted() {
  const char* value = std::getenv("COMPEER_LOCKED");
  if (!value) return {};
  std::vector<fs::path> files;
  for (std::string_view rest = value;; rest.remove_prefix(files.back().native().size() + 1)) {
    const auto entry = rest.substr(0, rest.find(':'));
    if (entry.empty())
      throw Error("COMPEER_LOCKED", "has an empty entry instead of a list of allowed plugins",
                  "name a file in each entry, or unset COMPEER_LOCKED", Exit::plugin);
    files.emplace_back(entry);
    if (entry.size() == rest.size()) return files;
  }
}

AllowLists::AllowLists(const std::vector<fs::path>& files) {
  for (const auto& file : files) lists_.push_back({file, read_allow_list(file)});
}

std::string AllowLists::reason(const std::string& kind, const std::string& name, const std::string& sha256) const {
  for (const auto& list : lists_) {
    std::string others;
    bool allowed = false;
    for (const auto& one : list.plugins) {
      if (one.kind != kind || one.name != name) continue;
      allowed = allowed || one.sha256 == sha256;
      others += (others.empty() ? "" : ", ") + one.sha256;
    }
    if (allowed) continue;
    return fmt::format("is not in the list of allowed plugins {}: its SHA-256 is {}{}", list.file.string(), sha256,
                       others.empty() ? "" : ", the allowed one has " + others);
  }
  return "";
}

void AllowLists::refuse(const std::string& kind, const std::string& name, const fs::path& path,
                        const std::string& sha256) const {
  if (const auto why = reason(kind, name, sha256); !why.empty())
    throw Error(path.string(), fmt::format("plugin {}/{} {}", kind, name, why),
                "if you trust it, add it to the list: compeer plugins lock writes the lines", Exit::plugin);
}

std::string AllowLists::hash() const {
  std::string text;
  for (const auto& list : lists_) text += allow_list_text(list.plugins) + '\n';
  return text.empty() ? "" : sha256(text);
}

}  // namespace compeer::plugin
