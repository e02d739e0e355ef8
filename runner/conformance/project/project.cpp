// Creates the files of a new plugin from the templates.
#include "conformance/project/project.h"

#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "plugin/descriptor.h"
#include "spec/text.h"

namespace compeer::conformance {

namespace fs = std::filesystem;

namespace {

constexpr size_t longest_name = 64;

bool small(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

// Returns the nearest valid name: "My-Reward 2" -> "my_reward_2".
std::string mended(const std::string& name) {
  if (name.empty()) return "my_plugin";
  std::string good;
  for (const char c : name.substr(0, longest_name)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    good += small(lower) || digit(lower) ? lower : '_';
  }
  return small(good[0]) ? good : ("my_" + good).substr(0, longest_name);
}

// "my_reward" -> "MyReward"
std::string class_name(const std::string& name) {
  std::string all;
  bool first = true;
  for (const char c : name) {
    if (c != '_') all += first && small(c) ? static_cast<char>(c - 'a' + 'A') : c;
    first = c == '_';
  }
  return all;
}

void replace(std::string& text, const std::string& word, const std::string& by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
}

std::string with_names(std::string text, const std::string& kind, const std::string& name) {
  replace(text, "my_kind", kind);
  replace(text, "MyPlugin", class_name(name));
  replace(text, "my_plugin", name);
  return text;
}

bool has(const std::string& folder, const std::string& name) {
  return std::any_of(templates().begin(), templates().end(),
                     [&](const TemplateFile& one) { return one.kind == folder && one.name == name; });
}

}  // namespace

std::string project_kind(const std::string& name) {
  const auto& kinds = plugin::kinds();
  for (const auto& kind : kinds) {
    if (name == kind || name == spec::singular(kind)) return kind;
  }
  throw Error(spec::printable(name), "is not a kind of plugin", suggest(name, kinds), Exit::usage);
}

void check_project_name(const std::string& name) {
  if (mended(name) == name) return;
  throw Error(spec::printable(name), "is not a valid plugin name",
              "use up to 64 small letters, digits and '_', beginning with a letter: '" + mended(name) + "'",
              Exit::usage);
}

std::vector<ProjectFile> project_files(const std::string& kind, const std::string& name, const std::string& variant) {
  const auto& folder = variant.empty() ? kind : variant;
  std::vector<ProjectFile> files;
  for (const auto& one : templates()) {
    if (one.kind == folder || (one.kind.empty() && !has(folder, one.name)))
      files.push_back({with_names(one.name, kind, name), with_names(one.text, kind, name)});
  }
  return files;
}

void write_project(const std::vector<ProjectFile>& files, const fs::path& folder) {
  std::error_code code;
  if (fs::exists(fs::symlink_status(folder, code)))
    throw Error(folder.string(), "already exists", "remove it, or choose another name or --dir", Exit::usage);
  const fs::path part = folder.string() + "." + std::to_string(::getpid()) + ".part";
  try {
    fs::create_directories(part);
    for (const auto& file : files) write_file(part / file.name, file.text);
    fs::rename(part, folder);
  } catch (...) {
    fs::remove_all(part, code);
    throw;
  }
}

}  // namespace compeer::conformance
