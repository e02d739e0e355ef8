// compeer log export: CSV, files for TensorBoard, and completions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>

#include "app/log/export_rollouts.h"
#include "app/log/figures.h"
#include "app/log/log.h"
#include "base/error.h"
#include "base/files.h"
#include "record/in_child.h"
#include "record/run_file.h"
#include "record/tensorboard.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using record::RunReader;
using Path = std::filesystem::path;

// A cell of text. Spreadsheets compute those that begin like a formula: an apostrophe keeps them text.
std::string field(const std::string& given) {
  const bool formula = !given.empty() && std::string_view("=+-@\t\r").find(given[0]) != std::string_view::npos;
  const std::string text = formula ? "'" + given : given;
  if (text.find_first_of(",;\t\"\n\r") == std::string::npos) return text;  // some spreadsheets split at ; and tabs
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

// The shortest text that reads back; nothing for what is not known.
std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

// Names that no two runs share: in other folders there may be another run of the name.
std::vector<std::string> names_of(const std::vector<Path>& folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) {
    const auto name = std::filesystem::weakly_canonical(folder).filename().string();
    auto own = name;
    for (int n = 2; std::find(names.begin(), names.end(), own) != names.end(); ++n) own = fmt::format("{}-{}", name, n);
    names.push_back(own);
  }
  return names;
}

// The columns of all runs, as they come.
std::vector<std::string> columns_of(const std::vector<RunReader>& runs) {
  std::vector<std::string> columns;
  std::set<std::string> seen;
  for (const auto& run : runs) {
    for (const auto& name : run.columns()) {
      if (seen.insert(name).second) columns.push_back(name);
    }
  }
  return columns;
}

void add_rows(const RunReader& run, const std::vector<std::string>& columns, const std::string& front,
              std::string& text) {
  std::vector<std::vector<double>> values;
  for (const auto& name : columns) values.push_back(run.has(name) ? run.column(name) : std::vector<double>());
  for (uint64_t row = 0; row < run.rows(); ++row) {
    text += front;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      if (!values[i].empty()) text += field(values[i][row]);
    }
    text += '\n';
  }
}

// Of several runs the name of each stands in front.
std::string rows_csv(const std::vector<Path>& folders) {
  std::vector<RunReader> runs;
  for (const auto& folder : folders) runs.push_back(open_run(folder));
  const auto names = names_of(folders), columns = columns_of(runs);
  const bool several = runs.size() > 1;
  std::string text = several ? "run," : "";
  for (size_t i = 0; i < columns.size(); ++i) text += (i > 0 ? "," : "") + field(columns[i]);
  text += '\n';
  for (size_t i = 0; i < runs.size(); ++i) add_rows(runs[i], columns, several ? field(names[i]) + "," : "", text);
  return text;
}

std::string figures_csv(const std::vector<Path>& folders) {
  const auto names = names_of(folders);
  std::string text = "run,metric,mean,low,high,n\n";
  for (size_t i = 0; i < folders.size(); ++i) {
    const auto figures = figures_in(folders[i]);
    if (!figures) {
      std::cerr << spec::printable(names[i], 200) << " has no summary: no figures\n";
      continue;
    }
    for (const auto& one : *figures)
      text += fmt::format("{},{},{},{},{},{}\n", field(names[i]), field(one.name), field(one.mean), field(one.low),
                          field(one.high), one.n > 0 ? std::to_string(one.n) : "");
  }
  return text;
}

void put(const std::string& file, const std::string& text, std::ostream& out) {
  if (file == "-") {
    out << text;
  } else if (!file.empty()) {
    write_file(file, text);
  }
}

void export_tensorboard(const std::vector<Path>& folders, const Path& place) {
  const auto names = names_of(folders);
  for (size_t i = 0; i < folders.size(); ++i) {
    const auto run = open_run(folders[i]);
    const auto folder = folders.size() > 1 ? place / names[i] : place;
    std::cerr << "wrote " << record::write_tensorboard(folder, run, scalars_in(folders[i], run.rows())).string()
              << '\n';
  }
}

void export_rollouts(const std::vector<Path>& folders, const LogExport& options, std::ostream& out) {
  const auto names = names_of(folders);
  std::vector<NamedRun> runs;
  for (size_t i = 0; i < folders.size(); ++i) runs.push_back({names[i], folders[i]});
  if (options.rollouts == "-") return write_rollouts(runs, options.tokens, out);
  write_rollouts(runs, options.tokens, Path(options.rollouts));
}

void check(const LogExport& options) {
  const auto to_output = {options.csv == "-", options.figures == "-", options.rollouts == "-"};
  if (options.csv.empty() && options.figures.empty() && options.tensorboard.empty() && options.rollouts.empty())
    throw Error("log export", "nothing to write",
                "give --csv FILE, --figures FILE, --rollouts FILE or --tensorboard DIR", Exit::usage);
  if (std::count(to_output.begin(), to_output.end(), true) > 1)
    throw Error("log export", "only one of them can go to standard output", "give the others a file", Exit::usage);
  if (options.tokens && options.rollouts.empty())
    throw Error("log export", "--tokens belongs to --rollouts", "give --rollouts FILE", Exit::usage);
}

}  // namespace

int log_export(const LogExport& options, std::ostream& out) {
  check(options);
  std::vector<Path> folders;
  for (const auto& run : options.runs) folders.push_back(find_run(run));
  const auto write = [&](std::ostream& text) {
    if (!options.csv.empty()) put(options.csv, rows_csv(folders), text);
    if (!options.figures.empty()) put(options.figures, figures_csv(folders), text);
    if (!options.tensorboard.empty()) export_tensorboard(folders, options.tensorboard);
    if (!options.rollouts.empty()) export_rollouts(folders, options, text);
  };
  record::write_from_child("log export", options.seconds, write, out);
  return 0;
}

}  // namespace compeer::app
