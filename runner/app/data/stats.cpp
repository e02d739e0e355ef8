// compeer data stats: what is in data sets. Datasets are plugins, so the worker reads them (app/model/data_stats.h).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/data/data.h"
#include "app/model/become_worker.h"
#include "app/resolve.h"
#include "base/error.h"
#include "plugin/search.h"
#include "spec/check.h"
#include "spec/paths.h"
#include "spec/spec.h"

namespace compeer::app {

namespace {

using nlohmann::json;

constexpr const char* kExplained = R"(
SOURCE is a dataset plugin, whose settings --set gives, or a file with a [dataset]:
  compeer data stats esconv --set path=train.txt
  compeer data stats experiments/smoke_grpo.toml --set dataset.train=100
Corpora are counted as they were written: whole dialogues, and what one person writes in a row apart
(unit = "dialogue", merge = false), unless --set says otherwise.
Words are what white space separates; of Chinese, characters are counted.
Exit code 4 if more records can't be read than the plugin's max_unreadable allows; with
--set max_unreadable=1 they are all listed.)";

struct Options {
  std::vector<std::string> sources, sets;
  bool as_json = false, all = false;
};

bool is_file(const std::string& source) {
  std::error_code error;
  const std::filesystem::path path(source);
  return path.has_extension() || path.has_parent_path() || std::filesystem::is_directory(path, error);
}

// [dataset] with the plugin alone and what --set says of it, "path=x" or "dataset.path=x".
spec::Draft plugin_draft(const std::string& name, const std::vector<std::string>& sets) {
  std::vector<spec::Change> changes = {{"dataset.plugin", name, "compeer data stats"}};
  for (const auto& set : sets) {
    changes.push_back(spec::parse_set(set));
    auto& path = changes.back().path;
    if (!path.starts_with("dataset.")) path = "dataset." + path;
  }
  return spec::with({}, changes);
}

// A setting's value: what was written, else what counts dialogues as they were written, else the default.
json setting(const spec::Parameter& parameter, const json& given, const std::string& source) {
  if (given.contains(parameter.name)) {
    json value = given.at(parameter.name);
    if (!value.is_null()) spec::normalise(parameter, value);
    const auto found =
        parameter.type == spec::Type::path && value.is_string() ? spec::locate(value.get<std::string>()) : std::nullopt;
    return found ? json(found->string()) : value;
  }
  const auto& choices = parameter.choices;
  if (parameter.name == "unit" && std::find(choices.begin(), choices.end(), "dialogue") != choices.end())
    return "dialogue";
  if (parameter.name == "merge" && parameter.type == spec::Type::boolean) return false;
  if (!parameter.default_value)
    throw Error(source, fmt::format("its setting '{}' is missing: {}", parameter.name, parameter.help),
                fmt::format("say it with: --set {}=...", parameter.name), Exit::usage);
  return *parameter.default_value;
}

json source_json(const std::string& source, const std::vector<std::string>& sets, const plugin::Finder& finder) {
  const auto draft = is_file(source) ? load_draft(source, sets) : plugin_draft(source, sets);
  spec::check(draft, finder);
  const json given = draft.values.value("dataset", json::object());
  if (!given.contains("plugin")) throw Error(source, "names no dataset: it has no [dataset]", "", Exit::spec);
  const auto found = finder.get("datasets", given.at("plugin").get<std::string>());
  json settings = {{"plugin", found.name}};
  for (const auto& parameter : found.descriptor.parameters) {
    const bool inside = parameter.type == spec::Type::table || parameter.type == spec::Type::plugin;
    settings[parameter.name] = inside && !given.contains(parameter.name)
                                   ? plugin::defaults({parameter}).at(parameter.name)
                                   : setting(parameter, given, source);
  }
  return {{"source", source},
          {"plugin", found.name},
          {"path", found.path.string()},
          {"sha256", found.sha256},
          {"settings", std::move(settings)}};
}

int stats(const Options& options) {
  const plugin::Finder finder;
  json sources = json::array();
  for (const auto& source : options.sources) sources.push_back(source_json(source, options.sets, finder));
  become_worker("data_stats", {{"sources", sources}, {"json", options.as_json}, {"all", options.all}}, 0);
}

}  // namespace

void add_data_stats(CLI::App& data, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  auto* command = data.add_subcommand("stats", "Count what data sets hold: dialogues, turns, lengths, labels");
  command->add_option("SOURCE", options->sources, "dataset plugins, or files with a [dataset]")->required();
  command->add_option("--set", options->sets, "a setting: --set path=FILE (repeatable)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", options->as_json, "as one JSON object");
  command->add_flag("--all", options->all, "name every record that can't be read, not the first 20");
  command->footer(kExplained);
  command->callback([options, &action] { action = [options] { return stats(*options); }; });
}

}  // namespace compeer::app
