#include "report/report.h"

#include <map>

#include "base/error.h"
#include "base/files.h"
#include "report/page.h"
#include "report/runs/load.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

/// Before any run is read: a page that can't be put in place should be known at once.
void prepare(const std::filesystem::path& output) {
  std::error_code code;
  if (std::filesystem::is_directory(output, code))
    throw Error(output.string(), "is a folder, not a file for the page", "", Exit::data);
  if (!output.has_parent_path()) return;
  std::filesystem::create_directories(output.parent_path(), code);
  if (code) throw Error(output.string(), "its folder can't be made: " + code.message(), "", Exit::failure);
}

/// Runs of one name, such as copies, are told apart by their folders.
void tell_apart(std::vector<RunData>& runs) {
  std::map<std::string, int> times;
  for (const auto& run : runs) ++times[run.name];
  for (auto& run : runs) {
    if (times[run.name] > 1) run.name += " (" + run.folder.filename().string() + ")";
  }
}

}  // namespace

WrittenReport write_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& output,
                           const Options& options) {
  prepare(output);
  std::vector<RunData> runs;
  for (const auto& folder : find_runs(paths)) runs.push_back(load_run(folder));
  tell_apart(runs);
  const std::string html = page(runs, options.title, options.sweep, options.frontiers);
  write_file(output, html);

  WrittenReport written;
  written.bytes = html.size();
  for (const auto& run : runs) written.runs.push_back(run.name);
  for (const auto& finding : findings(runs, Lineage(runs))) {
    for (const auto& sentence : finding.sentences) written.findings.push_back(finding.heading + ": " + sentence);
  }
  written.notices = notices(runs);
  return written;
}

}  // namespace compeer::report
