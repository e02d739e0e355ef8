// compeer report: one self-contained page about one or more runs.
#include "report/report.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/log/log.h"
#include "base/error.h"
#include "record/in_child.h"
#include "report/runs/load.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using nlohmann::ordered_json;

struct ReportOptions {
  std::vector<std::string> runs, frontiers;
  std::string output = "report.html", title;
  bool json = false;
  double timeout_seconds = 300;
};

ordered_json report_json(const report::WrittenReport& written, const std::string& output) {
  return {{"output", output}, {"bytes", written.bytes}, {"runs", written.runs}, {"notices", written.notices}};
}

std::vector<report::Frontier> frontiers_of(const std::vector<std::string>& given) {
  std::vector<report::Frontier> all;
  for (const auto& pair : given) {
    const size_t comma = pair.find(',');
    if (comma == 0 || comma == std::string::npos || comma + 1 == pair.size() || pair.find(',', comma + 1) != pair.npos)
      throw Error("--frontier", "'" + pair + "' is not a pair of metrics", "for example --frontier distinct_2,reward",
                  Exit::usage);
    all.push_back({pair.substr(0, comma), pair.substr(comma + 1)});
  }
  return all;
}

// Throws an Error that names the first run that can't be read by itself; if all can, one with the text of `failed`.
[[noreturn]] void name_culprit(const std::vector<std::filesystem::path>& folders, const ReportOptions& options,
                               const record::ChildResult& failed) {
  for (const auto& folder : report::find_runs(folders)) {
    const auto result = record::in_child([&] { return report::load_run(folder).name; }, options.timeout_seconds / 4);
    if (!result.problem.empty())
      throw Error(folder.string(), "can't be read: " + result.problem,
                  "run compeer log verify to find the damage, or make the report without this run", result.exit);
  }
  throw Error(options.output, failed.problem, "", failed.exit);
}

// HDF5 may crash or hang on a damaged file, so a child process reads the runs and writes the page.
int report_runs(const ReportOptions& options) {
  std::vector<std::filesystem::path> folders;
  for (const auto& run : options.runs) folders.push_back(find_run(run));
  report::find_runs(folders);
  const auto frontiers = frontiers_of(options.frontiers);
  const auto result = record::in_child(
      [&] {
        const auto written = report::write_report(folders, options.output, {options.title, {}, frontiers});
        return report_json(written, options.output).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
      },
      options.timeout_seconds);
  if (!result.problem.empty()) name_culprit(folders, options, result);
  if (options.json) {
    std::cout << result.output << '\n';
    return 0;
  }
  const auto written = ordered_json::parse(result.output);
  for (const auto& notice : written["notices"])
    std::cerr << "note: " << spec::printable(notice.get<std::string>(), 1000) << '\n';
  std::cerr << fmt::format("{}: {} run{}, {:.0f} kB\n", options.output, written["runs"].size(),
                           written["runs"].size() == 1 ? "" : "s", written["bytes"].get<double>() / 1e3);
  return 0;
}

}  // namespace

void add_report(CLI::App& command, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  command.add_option("RUN", options->runs, "run folders, folders of runs, or names of runs in results/")->required();
  command.add_option("-o,--output", options->output, "the page to write")->capture_default_str();
  command.add_option("--title", options->title, "heading of the page; default: the common part of the runs' names");
  command.add_option("--frontier", options->frontiers, "plot two metrics against each other (repeatable)")
      ->type_name("X,Y")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--json", options->json, "print the runs and notices as one JSON object");
  command.add_option("--timeout", options->timeout_seconds, "time limit in seconds for reading and writing")
      ->capture_default_str();
  command.callback([options, &action] { action = [options] { return report_runs(*options); }; });
}

}  // namespace compeer::app
