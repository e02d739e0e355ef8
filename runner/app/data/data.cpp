// compeer data: what is done with data sets and the files they are made of. A line here for each command of the group.
#include "app/data/data.h"

#include "app/commands.h"

namespace compeer::app {

void add_data(CLI::App& app, std::function<int()>& action) {
  auto* command = app.add_subcommand("data", "Look at data sets, and have people judge them");
  command->require_subcommand(1);
  add_data_stats(*command, action);
  add_data_agreement(*command, action);
  add_data_annotate(*command, action);
  add_data_merge(*command, action);
  add_data_answers(*command, action);
}

}  // namespace compeer::app
