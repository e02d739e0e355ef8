#include "app/commands.h"
#include "base/error.h"

namespace compeer::app {

void add_bench(CLI::App& app, std::function<int()>& action) {
  app.add_subcommand("bench", "Measure this build on this machine")->callback([&action] {
    action = []() -> int { throw Error("", "'bench' is not part of this build", "", Exit::failure); };
  });
}

}  // namespace compeer::app
