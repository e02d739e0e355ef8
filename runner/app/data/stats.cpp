// compeer data stats: what is in data sets. Datasets are plugins, so the worker reads them (app/model/data_stats.h).
#include <memory>
#include <string>
#include <vector>

#include "app/data/data.h"
#include "app/model/become_worker.h"

namespace compeer::app {

namespace {

struct Options {
  std::vector<std::string> sources, settings;
  bool as_json = false, all = false;
};

int stats(const Options& options) {
  become_worker(
      "data_stats",
      {{"sources", options.sources}, {"set", options.settings}, {"json", options.as_json}, {"all", options.all}}, 0);
}

}  // namespace

void add_data_stats(CLI::App& data, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  auto* command = data.add_subcommand("stats", "Count what data sets hold: dialogues, turns, labels, lengths");
  command->add_option("source", options->sources, "dataset plugins, or files whose [data] names one")->required();
  command->add_option("--set", options->settings, "settings of the plugins: key=value")->type_name("KEY=VALUE");
  command->add_flag("--json", options->as_json, "as one JSON object");
  command->add_flag("--all", options->all, "list every record that could not be read, not the first 20");
  command->callback([options, &action] { action = [options] { return stats(*options); }; });
}

}  // namespace compeer::app
