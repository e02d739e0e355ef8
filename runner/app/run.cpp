#include "app/commands.h"
#include "base/error.h"

namespace compeer::app {

namespace {

void add(CLI::App& app, std::function<int()>& action, const std::string& name, const std::string& summary) {
  app.add_subcommand(name, summary)->callback([&action, name] {
    action = [name]() -> int { throw Error("", "'" + name + "' is not part of this build", "", Exit::failure); };
  });
}

}  // namespace

void add_run(CLI::App& app, std::function<int()>& action) { add(app, action, "run", "Run a script or an experiment"); }

void add_resume(CLI::App& app, std::function<int()>& action) {
  add(app, action, "resume", "Go on from the newest good checkpoint");
}

}  // namespace compeer::app
