#include "app/commands.h"
#include "base/error.h"

namespace compeer::app {

void add_report(CLI::App& app, std::function<int()>& action) {
  app.add_subcommand("report", "Write one self-contained page about one or more runs")->callback([&action] {
    action = []() -> int { throw Error("", "'report' is not part of this build", "", Exit::failure); };
  });
}

}  // namespace compeer::app
