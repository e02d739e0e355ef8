// compeer plugins lock: writes an allow list of plugins for --locked and COMPEER_LOCKED. Loads no plugin.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "app/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "launch/script_actions.h"
#include "plugin/allow_list.h"
#include "spec/spec.h"

namespace compeer::app {

namespace {

namespace fs = std::filesystem;
using plugin::Allowed;

struct PluginsLockOptions {
  std::string output = "compeer.lock", experiment;
};

std::vector<Allowed> found() {
  std::vector<Allowed> plugins;
  for (const auto& one : plugin::Finder().all()) {
    if (one.problem.empty() && !one.shadowed)
      plugins.push_back({one.kind, one.name, one.descriptor.version, one.sha256});
  }
  return plugins;
}

// Plugins used by the spec in a file, or by the specs that a script would launch.
std::vector<Allowed> used_by(const std::string& file) {
  std::vector<spec::Spec> specs;
  if (fs::path(file).extension() == ".lua") {
    specs = launch::plan_script(file, {});
  } else {
    specs.push_back(spec::resolve(spec::load_draft(file, {}), plugin::Finder()));
  }
  std::vector<Allowed> plugins;
  std::set<std::string> seen;
  for (const auto& spec : specs) {
    for (const auto& one : spec.plugins) {
      if (seen.insert(one.kind + "/" + one.name).second)
        plugins.push_back({one.kind, one.name, one.version, one.sha256});
    }
  }
  return plugins;
}

int lock(const PluginsLockOptions& options) {
  const auto plugins = options.experiment.empty() ? found() : used_by(options.experiment);
  if (plugins.empty())
    throw Error("", "no plugins were found", "run compeer plugins list -v to print the folders that are searched",
                Exit::plugin);
  const auto text = plugin::allow_list_text(plugins);
  if (options.output == "-") {
    std::cout << text;
    return 0;
  }
  write_file(options.output, text);
  std::cerr << fmt::format("{}: {} plugins; compeer --locked={} run ... loads only these\n", options.output,
                           plugins.size(), options.output);
  return 0;
}

}  // namespace

void add_plugins_lock(CLI::App& command, Action& action) {
  auto options = std::make_shared<PluginsLockOptions>();
  command.add_option("--output", options->output, "the file to write; -: standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_option("--for", options->experiment, "only those that this experiment, script or run uses")
      ->type_name("FILE");
  command.callback([options, &action] { action = [options] { return lock(*options); }; });
}

}  // namespace compeer::app
