// compeer plugins check FILE
#include <memory>

#include "app/commands.h"
#include "contract/check.h"

namespace compeer::app {

namespace {

constexpr const char* kExplained = R"(
FILE is a library KIND/NAME.so. It runs in a process of its own, so that a crash is a finding like any
other, with the place and the stack.
  compeer plugins check build/plugins/rewards/length.so
  compeer plugins check rewards/overlong.so --set most=400 --set cache=100
  compeer plugins check rewards/esc_world_truth.so --dataset esc_world
What can't be checked is said, and holds nothing up. Exit code 0 if all that was checked holds, 5 if not, and 4
if no object of the plugin could be made, so that nothing it does was checked.)";

}  // namespace

void add_plugins_check(CLI::App& command, Action& action) {
  auto options = std::make_shared<contract::CheckOptions>();
  command.add_option("file", options->file, "the library: KIND/NAME.so")->required()->type_name("FILE");
  command.add_option("--set", options->sets, "a setting of the plugin's: --set target=20 (repeatable)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--dataset", options->dataset,
                  "a dataset whose examples it is tried with; --set dataset.KEY=VALUE sets it up")
      ->type_name("NAME");
  command.add_option("--patience", options->patience, "how long one call may take")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  command.add_flag("--json", options->as_json, "as one JSON object");
  command.footer(kExplained);
  command.callback([options, &action] { action = [options] { return contract::check(*options); }; });
}

}  // namespace compeer::app
