#include "report/report.h"

#include "base/files.h"
#include "report/findings.h"
#include "report/load.h"
#include "report/page.h"

namespace compeer::report {

Written write_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& output,
                     const Options& options) {
  std::vector<RunData> runs;
  for (const auto& folder : find_runs(paths)) runs.push_back(load_run(folder));
  const std::string html = page(runs, options.title);
  if (output.has_parent_path()) std::filesystem::create_directories(output.parent_path());
  write_file(output, html);

  Written written;
  written.bytes = html.size();
  for (const auto& run : runs) written.runs.push_back(run.name);
  for (const auto& finding : findings(runs, Lineage(runs))) {
    for (const auto& sentence : finding.sentences) written.findings.push_back(finding.heading + ": " + sentence);
  }
  written.notices = notices(runs);
  return written;
}

}  // namespace compeer::report
