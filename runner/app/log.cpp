#include "app/commands.h"
#include "base/error.h"

namespace compeer::app {

void add_log(CLI::App& app, std::function<int()>& action) {
  app.add_subcommand("log", "Show, export and verify what runs recorded")->callback([&action] {
    action = []() -> int { throw Error("", "'log' is not part of this build", "", Exit::failure); };
  });
}

}  // namespace compeer::app
