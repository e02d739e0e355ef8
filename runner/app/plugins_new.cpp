// compeer plugins new KIND NAME: a project of its own around a new plugin.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "base/error.h"
#include "contract/project/project.h"
#include "plugin/search.h"

namespace compeer::app {

namespace fs = std::filesystem;

namespace {

struct PluginsNewOptions {
  std::string kind, name, parent = ".";
  bool judge = false;
};

// What CMake is to be told: the folder that this program was installed to, if it was.
std::string prefix() {
  std::error_code code;
  const auto folder = fs::read_symlink("/proc/self/exe", code).parent_path().parent_path();
  return fs::exists(folder / "lib/cmake/compeer/compeerConfig.cmake", code) ? folder.string() : "PREFIX";
}

void say_what_is_next(const fs::path& folder, const std::string& name) {
  const auto place = prefix();
  std::cout << fmt::format(R"(
  cd {}
  cmake -B build -DCMAKE_PREFIX_PATH={}
  cmake --build build
  ctest --test-dir build --output-on-failure
  compeer run {}.lua --plugin-dir build/plugins
)",
                           folder.string(), place, name);
  if (place == "PREFIX")
    std::cout << "\nPREFIX is a folder to which compeer was installed: cmake --install BUILD --prefix PREFIX\n";
}

void say_if_known(const std::string& kind, const std::string& name) {
  for (const auto& found : plugin::Finder().all()) {
    if (found.kind != kind || found.name != name || found.shadowed) continue;
    std::cerr << fmt::format("compeer: note: there is a {}/{} ({}); of two the first in the search path is taken\n",
                             kind, name, found.path.string());
  }
}

int make(const PluginsNewOptions& options) {
  const auto kind = contract::project_kind(options.kind);
  contract::check_project_name(options.name);
  const auto folder = (fs::path(options.parent) / options.name).lexically_normal();
  if (options.judge && kind != "rewards")
    throw Error("--with-judge", "is for rewards", "compeer plugins new rewards NAME --with-judge", Exit::usage);
  const auto files = contract::project_files(kind, options.name, options.judge ? "judge" : "");
  try {
    contract::write_project(files, folder);
  } catch (const fs::filesystem_error& error) {
    throw Error(folder.string(), "can't be written: " + error.code().message(), "--dir names another folder",
                Exit::failure);
  }
  say_if_known(kind, options.name);
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.name);
  std::cout << fmt::format("{}/: {}\n", folder.string(), fmt::join(names, ", "));
  say_what_is_next(folder, options.name);
  return 0;
}

}  // namespace

void add_plugins_new(CLI::App& command, Action& action) {
  auto options = std::make_shared<PluginsNewOptions>();
  command.add_option("KIND", options->kind, fmt::format("{}", fmt::join(plugin::kinds(), ", ")))->required();
  command.add_option("NAME", options->name, "what it is called: small letters, digits and '_'")->required();
  command.add_flag("--with-judge", options->judge, "of rewards: one that asks a chat model");
  command.add_option("--dir", options->parent, "make the folder NAME in DIR instead of here")->type_name("DIR");
  command.callback([options, &action] { action = [options] { return make(*options); }; });
}

}  // namespace compeer::app
