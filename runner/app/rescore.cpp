// compeer rescore: computes the summary of an evaluation from recorded dialogues. Stages and datasets are plugins, so
// the worker reads and scores them (data/rescore.h).
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "conformance/plugin_choice.h"
#include "launch/worker_program.h"
#include "spec/spec.h"

namespace compeer::app {

namespace {

using nlohmann::json;

constexpr const char* rescore_help = R"(
STAGE is an evaluation, FILE contains its records, written by compeer or by other programs: JSON lines, a
JSON list, or a JSON object of records by name. No model is used.
  compeer rescore sage results/sage/stages/01-sage.jsonl
  compeer rescore sage theirs.jsonl --set rounds=20 --json
Unreadable records are listed with the file and the number of the record (for JSON lines: of the line),
records that can't be scored with the reason. Exit code 4 if the share of unreadable records exceeds
--max-unreadable, or if no record could be scored.)";

struct RescoreOptions {
  std::string stage, file;
  std::vector<std::string> sets;
  double max_unreadable = 0.01;
  bool as_json = false;
};

int rescore(const RescoreOptions& options) {
  if (const auto why = why_no_file(options.file); !why.empty()) throw Error(options.file, why, "", Exit::data);
  std::error_code error;
  if (std::filesystem::is_empty(options.file, error)) throw Error(options.file, "is empty", "", Exit::data);
  const plugin::Finder finder;
  const auto draft = conformance::draft_of("stages.0", options.stage, options.sets, "compeer rescore");
  spec::check(draft, finder);
  const json& given = draft.values.at("stages").at(0);
  const auto stage = finder.get("stages", options.stage), profiles = finder.get("datasets", "profiles");
  // --max-unreadable also counts records that the stage can't read, so the worker checks it; the dataset has no limit.
  const json read = {{"path", options.file}, {"numbers", true}, {"max_unreadable", 1.0}};
  launch::exec_worker("rescore",
                      {{"stage", conformance::plugin_json(stage, given, options.stage)},
                       {"dataset", conformance::plugin_json(profiles, read, "profiles")},
                       {"file", options.file},
                       {"max_unreadable", options.max_unreadable},
                       {"json", options.as_json}},
                      0);
}

}  // namespace

void add_rescore(CLI::App& command, Action& action) {
  auto options = std::make_shared<RescoreOptions>();
  command.add_option("STAGE", options->stage, "an evaluation: sage, ...")->required();
  command.add_option("FILE", options->file, "the file with the records")->required();
  command.add_option("--set", options->sets, "a setting of the stage: --set rounds=20 (repeatable)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--max-unreadable", options->max_unreadable, "maximum share of unreadable records")
      ->type_name("SHARE")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command.add_flag("--json", options->as_json, "as one JSON object");
  command.footer(rescore_help);
  command.callback([options, &action] { action = [options] { return rescore(*options); }; });
}

}  // namespace compeer::app
