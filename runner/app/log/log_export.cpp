// compeer log export: CSV, files for TensorBoard, and completions as JSON lines (for pandas, Hugging Face `datasets`).
#include "app/log/log_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "app/log/figures.h"
#include "app/log/log.h"
#include "base/error.h"
#include "base/files.h"
#include "launch/process.h"
#include "record/in_child.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/tensorboard.h"
#include "report/drawing/passages.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using nlohmann::ordered_json;
using record::RolloutReader;
using record::RolloutRow;

ordered_json messages(const std::string& prompt) {
  auto all = ordered_json::array();
  for (const auto& turn : report::by_turns(prompt))
    all.push_back({{"role", turn.name.empty() ? "user" : turn.name}, {"content", turn.text}});
  return all;
}

std::vector<std::string> columns_of(const std::vector<RolloutReader>& readers) {
  std::vector<std::string> all;
  for (const auto& reader : readers) {
    for (const auto& name : reader.value_columns()) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  }
  return all;
}

// Returns the index of each column in the values of a run; -1 if the run does not have it.
std::vector<ptrdiff_t> places_of(const std::vector<std::string>& columns, const RolloutReader& reader) {
  const auto& own = reader.value_columns();
  std::vector<ptrdiff_t> places;
  for (const auto& name : columns) {
    const auto found = std::find(own.begin(), own.end(), name);
    places.push_back(found == own.end() ? -1 : found - own.begin());
  }
  return places;
}

void add_tokens(ordered_json& line, const RolloutRow& row) {
  line["prompt_tokens"] = row.prompt_tokens;
  line["tokens"] = row.tokens;
  auto logprobs = ordered_json::array();
  for (const float value : row.logprobs) logprobs.push_back(value);
  line["logprobs"] = logprobs;
}

using record::RunReader;
using Path = std::filesystem::path;

// Formats text as a CSV cell. Spreadsheets do not evaluate text that looks like a formula after an apostrophe.
std::string field(const std::string& given) {
  const bool formula = !given.empty() && std::string_view("=+-@\t\r").find(given[0]) != std::string_view::npos;
  const std::string text = formula ? "'" + given : given;
  if (text.find_first_of(",;\t\"\n\r") == std::string::npos) return text;  // some spreadsheets split at ; and tabs
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

// Formats a number with the fewest digits that read back as the same number; NaN as an empty cell.
std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

// Returns unique names: runs in different folders may have the same name.
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

// Returns the columns of all runs, each once, in order of first appearance.
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

// Returns all rows as CSV; with several runs, the first column is the name of the run.
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
      std::cerr << spec::printable(names[i], 200) << " has no summary, so it has no figures\n";
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
    throw Error("log export", "--tokens requires --rollouts", "give --rollouts FILE", Exit::usage);
}

}  // namespace

void write_rollouts(const std::vector<NamedRun>& runs, bool tokens, std::ostream& out,
                    const std::function<void()>& check) {
  std::vector<RolloutReader> readers;
  for (const auto& run : runs) {
    readers.emplace_back(run.folder);
    if (readers.back().steps().empty())
      throw Error(run.folder.string(), "has no rollouts", "only GRPO training and evaluations record rollouts",
                  Exit::data);
  }
  const auto columns = columns_of(readers);
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto places = places_of(columns, readers[i]);
    for (const uint64_t step : readers[i].steps()) {
      check();
      for (const auto& row : readers[i].read(step)) {
        ordered_json line = {{"run", runs[i].name},       {"step", row.step},
                             {"group", row.prompt},       {"index", row.completion},
                             {"example", row.example_id}, {"prompt", messages(row.prompt_text)},
                             {"completion", row.text},    {"finished", row.finished}};
        for (size_t k = 0; k < columns.size(); ++k)
          line[columns[k]] =
              places[k] < 0 ? ordered_json(nullptr) : ordered_json(row.values[static_cast<size_t>(places[k])]);
        if (tokens) add_tokens(line, row);
        out << line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
      }
    }
  }
}

void write_rollouts(const std::vector<NamedRun>& runs, bool tokens, const std::filesystem::path& file) {
  auto part = file;
  part += ".part";
  std::error_code code;
  try {
    const launch::Interrupts interrupts;  // turns a signal into an Error, so that the partial file is removed
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    write_rollouts(runs, tokens, out, [&] { interrupts.check(); });
    if (!out.flush())
      throw Error(file.string(), "can't be written", "check the free space and your permissions", Exit::failure);
    out.close();
    sync_file(part);
    std::filesystem::rename(part, file, code);
    if (code) throw Error(file.string(), "can't be written: " + code.message(), "", Exit::failure);
  } catch (...) {
    std::filesystem::remove(part, code);
    throw;
  }
}

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
  record::write_from_child("log export", options.timeout_seconds, write, out);
  return 0;
}

}  // namespace compeer::app
