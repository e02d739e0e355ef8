// compeer plugins list, inspect, new, stubs and check. list, inspect and stubs read descriptors and load no plugin.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "app/settings.h"
#include "base/error.h"
#include "conformance/check.h"
#include "conformance/project/project.h"
#include "conformance/reference/stubs.h"
#include "plugin/allow_list.h"
#include "plugin/descriptor.h"
#include "plugin/search.h"
#include "spec/text.h"

namespace compeer::app {

namespace fs = std::filesystem;

namespace {

using nlohmann::ordered_json;
using plugin::Found;

struct PluginsOptions {
  std::string name;  // inspect: the plugin; list: a kind, or empty for all
  bool as_json = false, verbose = false;
};

std::string title(const Found& found) { return found.kind + "/" + found.name; }

// A descriptor may contain any bytes: escapes those that are not printable.
std::string line(const std::string& text) { return spec::printable(text, 200); }

std::string built_for(const plugin::Descriptor& descriptor) {
  const auto torch = descriptor.torch.empty() ? "no libtorch" : "libtorch " + line(descriptor.torch);
  return fmt::format("plugin interface {}, host interface {}, {}, C++ ABI {}, compiler {}", descriptor.interface,
                     descriptor.host, torch, descriptor.cxx_abi, line(descriptor.compiler));
}

// Returns why the allow lists forbid the plugin, or "".
std::string forbidden(const Found& found) { return plugin::AllowLists().reason(found.kind, found.name, found.sha256); }

// Returns why this program can't load the plugin, or "".
std::string problem(const Found& found) {
  return found.problem.empty() ? incompatibility(found.descriptor) : found.problem;
}

ordered_json plugin_json(const Found& found) {
  ordered_json out = {{"kind", found.kind}, {"name", found.name}, {"path", found.path.string()}};
  out["shadowed"] = found.shadowed;
  if (const auto why = problem(found); !why.empty()) out["problem"] = why;
  if (!found.problem.empty()) return out;
  const auto& descriptor = found.descriptor;
  out["sha256"] = found.sha256;
  if (const auto why = forbidden(found); !why.empty()) out["forbidden"] = why;
  out["version"] = descriptor.version;
  out["summary"] = descriptor.summary;
  out["interface"] = descriptor.interface;
  out["host"] = descriptor.host;
  out["torch"] = descriptor.torch;
  out["cxx_abi"] = descriptor.cxx_abi;
  out["compiler"] = descriptor.compiler;
  if (!descriptor.columns.empty()) out["columns"] = descriptor.columns;
  out["parameters"] = spec::schema_json(descriptor.parameters);
  return out;
}

void print_value(const ordered_json& json) {
  std::cout << json.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

std::vector<Found> chosen_plugins(const plugin::Finder& finder, const PluginsOptions& options) {
  auto found = finder.all();
  std::erase_if(found, [&](const Found& one) {
    const bool other_kind = !options.name.empty() && one.kind != options.name;
    return other_kind || (one.shadowed && !options.verbose && !options.as_json);
  });
  return found;
}

void say_where_searched(const plugin::Finder& finder) {
  std::cerr << "compeer: no plugins found; searched\n";
  for (const auto& folder : finder.folders()) std::cerr << "  " << folder.string() << '\n';
  std::cerr << "use --plugin-dir DIR to search DIR, too\n";
}

// Returns why the plugin can't be used, otherwise its summary.
std::string remark(const Found& found) {
  if (const auto why = problem(found); !why.empty()) return "UNUSABLE: " + line(why);
  if (const auto why = forbidden(found); !why.empty()) return "NOT ALLOWED: it " + spec::printable(why, 500);
  return line(found.descriptor.summary);
}

void print_row(const Found& found, size_t width, bool verbose) {
  const bool readable = found.problem.empty();
  std::cout << fmt::format("{:<{}}  {:<8} {}\n", title(found), width, readable ? line(found.descriptor.version) : "-",
                           remark(found));
  if (!verbose) return;
  std::cout << fmt::format("{:<{}}  {}{}\n", "", width, found.path.string(),
                           found.shadowed ? " (shadowed by the one above)" : "");
  if (readable) std::cout << fmt::format("{:<{}}  {}\n", "", width, built_for(found.descriptor));
}

int list(const PluginsOptions& options) {
  const auto& kinds = plugin::kinds();
  if (!options.name.empty() && std::find(kinds.begin(), kinds.end(), options.name) == kinds.end()) {
    throw Error(options.name, "no such kind of plugin", suggest(options.name, kinds), Exit::usage);
  }
  const plugin::Finder finder;
  const auto found = chosen_plugins(finder, options);
  if (options.as_json) {
    auto all = ordered_json::array();
    for (const auto& one : found) all.push_back(plugin_json(one));
    print_value(all);
    return 0;
  }
  size_t width = 0;
  for (const auto& one : found) width = std::max(width, title(one).size());
  for (const auto& one : found) print_row(one, width, options.verbose);
  if (found.empty()) say_where_searched(finder);
  return 0;
}

// Finds the plugin `name`: "length" or "rewards/length".
Found find_named(const plugin::Finder& finder, const std::string& name) {
  std::vector<std::pair<std::string, std::string>> matches;
  std::vector<std::string> titles;
  for (const auto& kind : plugin::kinds()) {
    for (const auto& one : finder.names(kind)) {
      const auto both = kind + "/" + one;
      titles.push_back(name.find('/') == std::string::npos ? one : both);
      if (titles.back() == name) matches.emplace_back(kind, one);
    }
  }
  if (matches.size() == 1) return finder.get(matches[0].first, matches[0].second);
  if (matches.empty()) {
    const auto slash = name.find('/');
    const auto kind = slash == std::string::npos ? "KIND" : spec::printable(name.substr(0, slash));
    throw Error(spec::printable(name), "no such plugin",
                suggest(name, titles, "compeer plugins list") + finder.searched(kind), Exit::usage);
  }
  std::string several;
  for (const auto& [kind, one] : matches) several += (several.empty() ? "" : ", ") + kind + "/" + one;
  throw Error(name, "is the name of several plugins", "say which: " + several, Exit::usage);
}

int inspect(const PluginsOptions& options) {
  const auto found = find_named(plugin::Finder(), options.name);
  if (options.as_json) {
    print_value(plugin_json(found));
    return 0;
  }
  const auto& descriptor = found.descriptor;
  std::cout << fmt::format("{} {}\n  {}\n\n", title(found), line(descriptor.version), line(descriptor.summary));
  std::cout << fmt::format("  file    {}\n", found.path.string());
  if (options.verbose) std::cout << fmt::format("  sha256  {}\n", found.sha256);
  std::cout << fmt::format("  built   for {}\n", built_for(descriptor));
  if (!descriptor.columns.empty()) std::cout << fmt::format("  columns {}\n", fmt::join(descriptor.columns, ", "));
  std::cout << '\n';
  std::cout << (descriptor.parameters.empty() ? "No settings\n" : "Settings\n");
  print_settings(descriptor.parameters, "  ");
  return 0;
}

std::shared_ptr<PluginsOptions> add_options(CLI::App& command, Action& action, int (*run)(const PluginsOptions&)) {
  auto options = std::make_shared<PluginsOptions>();
  command.add_flag("--json", options->as_json, "as JSON");
  command.add_flag("-v,--verbose", options->verbose,
                   "print files, hashes and the versions that plugins were built for");
  command.callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  return options;
}

constexpr const char* plugins_help = R"(
FILE is a library KIND/NAME.so. It runs in a process of its own, so that a crash is reported like any
other failure, with its location and stack.
  compeer plugins check build/plugins/rewards/length.so
  compeer plugins check rewards/overlong.so --set max_tokens=400 --set cache=100
  compeer plugins check rewards/esc_world_truth.so --dataset esc_world
Checks that are not possible are listed and are not failures. Exit code 0 if all other checks pass, 5 if one fails,
and 4 if no object of the plugin could be created, so that its behaviour was not checked.)";

struct PluginsNewOptions {
  std::string kind, name, parent = ".";
  bool judge = false;
};

// Returns the installation prefix of this program for CMAKE_PREFIX_PATH, or "PREFIX" if it is not installed.
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
    std::cerr << fmt::format(
        "compeer: note: a plugin {}/{} already exists ({}); the first in the search path is used\n", kind, name,
        found.path.string());
  }
}

int make(const PluginsNewOptions& options) {
  const auto kind = conformance::project_kind(options.kind);
  conformance::check_project_name(options.name);
  const auto folder = (fs::path(options.parent) / options.name).lexically_normal();
  if (options.judge && kind != "rewards")
    throw Error("--with-judge", "is only for rewards", "use compeer plugins new rewards NAME --with-judge",
                Exit::usage);
  const auto files = conformance::project_files(kind, options.name, options.judge ? "judge" : "");
  try {
    conformance::write_project(files, folder);
  } catch (const fs::filesystem_error& error) {
    throw Error(folder.string(), "can't be written: " + error.code().message(), "choose another folder with --dir",
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

void add_plugins_list(CLI::App& command, Action& action) {
  auto options = add_options(command, action, list);
  command.add_option("KIND", options->name, "only this kind: datasets, models, rewards, ...");
}

void add_plugins_inspect(CLI::App& command, Action& action) {
  auto options = add_options(command, action, inspect);
  command.add_option("NAME", options->name, "such as length or rewards/length")->required();
}

void add_plugins_stubs(CLI::App& command, Action& action) {
  command.callback(
      [&action] { action = [] { return std::cout << conformance::lua_stubs(plugin::Finder().all()), 0; }; });
}

void add_plugins_check(CLI::App& command, Action& action) {
  auto options = std::make_shared<conformance::CheckOptions>();
  command.add_option("FILE", options->file, "the library: KIND/NAME.so")->required();
  command.add_option("--set", options->sets, "a setting of the plugin's: --set target=20 (repeatable)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--dataset", options->dataset,
                  "dataset with the examples for the checks; --set dataset.KEY=VALUE changes its settings")
      ->type_name("NAME");
  command.add_option("--patience", options->patience, "time limit of each call")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  command.add_flag("--json", options->as_json, "as one JSON object");
  command.footer(plugins_help);
  command.callback([options, &action] { action = [options] { return conformance::check(*options); }; });
}

void add_plugins_new(CLI::App& command, Action& action) {
  auto options = std::make_shared<PluginsNewOptions>();
  command.add_option("KIND", options->kind, fmt::format("{}", fmt::join(plugin::kinds(), ", ")))->required();
  command.add_option("NAME", options->name, "name of the plugin: lower-case letters, digits and '_'")->required();
  command.add_flag("--with-judge", options->judge, "rewards only: write a reward that asks a chat model");
  command.add_option("--dir", options->parent, "make the folder NAME in DIR instead of here")->type_name("DIR");
  command.callback([options, &action] { action = [options] { return make(*options); }; });
}

}  // namespace compeer::app
