// Environment variables that locate compeer's own files, plugins and allow lists.
#include "app/home.h"

#include <cstdlib>
#include <filesystem>

#include "plugin/allow_list.h"

namespace compeer::app {

namespace fs = std::filesystem;

namespace {

fs::path home() {
  std::error_code code;
  const auto program = fs::read_symlink("/proc/self/exe", code);
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / "share/compeer/experiments", code)) return folder / "share/compeer";
    if (fs::is_directory(folder / "experiments", code)) return folder;
  }
  return COMPEER_SOURCE_DIR;
}

}  // namespace

void set_home() {
  std::error_code code;
  if (std::getenv("COMPEER_HOME")) return;
  if (const auto folder = home(); fs::is_directory(folder, code)) ::setenv("COMPEER_HOME", folder.c_str(), 1);
}

void add_plugin_folders(const std::vector<std::string>& folders) {
  std::string path;
  for (const auto& folder : folders) path += fs::absolute(folder).string() + ':';
  if (const char* others = std::getenv("COMPEER_PLUGIN_PATH")) path += others;
  while (!path.empty() && path.back() == ':') path.pop_back();
  if (!folders.empty()) ::setenv("COMPEER_PLUGIN_PATH", path.c_str(), 1);
}

void add_allow_list(const std::string& file) {
  if (file.empty()) return;
  const auto whole = fs::absolute(file).lexically_normal().string();
  plugin::read_allow_list(whole);
  const char* before = std::getenv("COMPEER_LOCKED");
  const auto all = (before ? std::string(before) + ":" : "") + whole;
  ::setenv("COMPEER_LOCKED", all.c_str(), 1);
}

}  // namespace compeer::app
