#include "app/commands.h"
#include "base/error.h"

namespace compeer::app {

void add_plugins(CLI::App& app, std::function<int()>& action) {
  app.add_subcommand("plugins", "List plugins and show their settings")->callback([&action] {
    action = []() -> int { throw Error("", "'plugins' is not part of this build", "", Exit::failure); };
  });
}

}  // namespace compeer::app
