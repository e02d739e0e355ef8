// compeer data stats: statistics of datasets. Datasets are plugins, so the worker reads them (data/stats.h).
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"
#include "conformance/plugin_choice.h"
#include "launch/worker_program.h"
#include "spec/spec.h"

namespace compeer::app {

namespace {

using nlohmann::json;

constexpr const char* data_stats_help = R"(
SOURCE is a dataset plugin, whose settings --set gives, or a file with a [dataset]:
  compeer data stats esconv --set path=train.txt
  compeer data stats experiments/smoke_grpo.toml --set dataset.train=100
Unless --set changes it, whole dialogues are counted, and consecutive messages of one person are not merged
(unit = "dialogue", merge = false).
Words are separated by white space; in languages without spaces, characters are counted.
Exit code 4 if the share of unreadable records exceeds the plugin's max_unreadable; with
--set max_unreadable=1 they are listed instead.)";

struct StatsOptions {
  std::vector<std::string> sources, sets;
  bool as_json = false, all = false;
};

bool is_file(const std::string& source) {
  std::error_code error;
  const std::filesystem::path path(source);
  return path.has_extension() || path.has_parent_path() || std::filesystem::is_directory(path, error);
}

// Default for a setting that is not given: counts whole dialogues and does not merge turns.
std::optional<json> as_written(const spec::SettingSchema& parameter) {
  const auto& choices = parameter.choices;
  if (parameter.name == "unit" && std::find(choices.begin(), choices.end(), "dialogue") != choices.end())
    return "dialogue";
  if (parameter.name == "merge" && parameter.type == spec::Type::boolean) return false;
  return std::nullopt;
}

json source_json(const std::string& source, const std::vector<std::string>& sets, const plugin::Finder& finder) {
  const auto draft = is_file(source) ? spec::load_draft(source, sets)
                                     : conformance::draft_of("dataset", source, sets, "compeer data stats");
  spec::check(draft, finder);
  const json given = draft.values.value("dataset", json::object());
  if (!given.contains("plugin")) throw Error(source, "has no table [dataset]", "", Exit::spec);
  const auto found = finder.get("datasets", given.at("plugin").get<std::string>());
  json chosen = conformance::plugin_json(found, given, source, as_written);
  chosen["source"] = source;
  return chosen;
}

int stats(const StatsOptions& options) {
  const plugin::Finder finder;
  json sources = json::array();
  for (const auto& source : options.sources) sources.push_back(source_json(source, options.sets, finder));
  launch::exec_worker("data_stats", {{"sources", sources}, {"json", options.as_json}, {"all", options.all}}, 0);
}

}  // namespace

void add_data_stats(CLI::App& command, Action& action) {
  auto options = std::make_shared<StatsOptions>();
  command.add_option("SOURCE", options->sources, "dataset plugins, or files with a [dataset]")->required();
  command.add_option("--set", options->sets, "a setting: --set path=FILE (repeatable)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--json", options->as_json, "as one JSON object");
  command.add_flag("--all", options->all, "list every unreadable record, not only the first 20");
  command.footer(data_stats_help);
  command.callback([options, &action] { action = [options] { return stats(*options); }; });
}

}  // namespace compeer::app
