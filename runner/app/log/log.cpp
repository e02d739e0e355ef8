// Options of all `compeer log` commands, and `log show`: metrics and events of a run. Other files implement the others.
#include "app/log/log.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "app/commands.h"
#include "app/log/figures.h"
#include "app/log/watch.h"
#include "base/error.h"
#include "record/in_child.h"
#include "record/run_file.h"
#include "record/status.h"
#include "report/runs/load.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using nlohmann::ordered_json;
using record::RunReader;
using Path = std::filesystem::path;

constexpr size_t without_terminal = 100;  // characters per line

struct ShownColumn {
  std::string name;
  std::vector<double> values;
};

std::vector<ShownColumn> wanted_columns(const RunReader& run, const std::vector<std::string>& names) {
  std::vector<ShownColumn> columns;
  for (const auto& name : names.empty() ? run.columns() : names) {
    if (!run.has(name)) throw Error("--columns", "no column '" + name + "'", suggest(name, run.columns()), Exit::usage);
    columns.push_back({name, run.column(name)});
  }
  return columns;
}

// Returns the status recorded in the file; "stopped before it finished" if it is running but no process writes.
std::string state_of(const RunReader& run) {
  const std::string status = run.status();
  return status == "running" && !run.live() ? "stopped before it finished" : status;
}

uint64_t first_row(const RunReader& run, uint64_t last) { return last && last < run.rows() ? run.rows() - last : 0; }

ordered_json numbers(const std::vector<double>& values, uint64_t first) {
  auto list = ordered_json::array();
  for (uint64_t row = first; row < values.size(); ++row) list.push_back(values[row]);
  return list;
}

void show_rows_json(const Path& folder, const RunReader& run, const LogShow& options, std::ostream& out) {
  const uint64_t first = first_row(run, options.last);
  auto columns = ordered_json::object(), events = ordered_json::array();
  for (const auto& column : wanted_columns(run, options.columns)) columns[column.name] = numbers(column.values, first);
  for (const auto& event : run.events())
    events.push_back({{"step", event.step}, {"time", event.time}, {"level", event.level}, {"text", event.text}});
  const ordered_json all = {{"run", folder.string()}, {"status", run.status()},
                            {"live", run.live()},     {"software", run.software()},
                            {"rows", run.rows()},     {"times", numbers(run.times(), first)},
                            {"columns", columns},     {"events", events}};
  out << all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

// Formats a column for printing: its name, then its values, padded to the same width.
std::vector<std::string> cells(const ShownColumn& column, uint64_t first) {
  std::vector<std::string> texts = {spec::printable(column.name, 200)};
  for (uint64_t row = first; row < column.values.size(); ++row)
    texts.push_back(std::isnan(column.values[row]) ? "-" : fmt::format("{:.5g}", column.values[row]));
  size_t width = 0;
  for (const auto& text : texts) width = std::max(width, text.size());
  for (auto& text : texts) text.insert(0, width - text.size(), ' ');
  return texts;
}

// Prints columns side by side, as many as fit into `width` (0: all) but at least two. Returns their number.
size_t print_table(std::span<const ShownColumn> columns, uint64_t first, size_t width, std::ostream& out) {
  std::vector<std::string> lines;
  size_t printed = 0;
  for (const auto& column : columns) {
    const auto texts = cells(column, first);
    if (lines.empty()) lines.resize(texts.size());
    const size_t gap = printed > 0 ? 2 : 0;
    if (printed > 1 && width > 0 && lines[0].size() + gap + texts[0].size() > width) break;
    for (size_t i = 0; i < lines.size(); ++i) lines[i] += std::string(gap, ' ') + texts[i];
    ++printed;
  }
  for (const auto& line : lines) out << line << '\n';
  return printed;
}

// Prints all columns in several tables, each starting with the first column.
void print_tables(std::vector<ShownColumn> columns, uint64_t first, size_t width, std::ostream& out) {
  while (true) {
    const size_t printed = print_table(columns, first, width, out);
    if (printed == columns.size()) return;
    out << '\n';
    columns.erase(columns.begin() + 1, columns.begin() + static_cast<ptrdiff_t>(printed));
  }
}

std::vector<std::string> telling(const RunReader& run) {
  std::vector<std::string> names;
  if (run.has("step")) names.emplace_back("step");
  for (const auto& figure : key_figures(run.columns())) names.push_back(figure.name);
  return names;
}

void show_table(const Path& folder, const RunReader& run, const LogShow& options, std::ostream& out) {
  std::cerr << fmt::format("{}: {}, {} rows, {} columns\n", folder.string(), state_of(run), run.rows(),
                           run.columns().size());
  const uint64_t first = first_row(run, options.last);
  size_t shown = run.columns().size();
  if (options.all) {
    print_tables(wanted_columns(run, {}), first, options.width > 0 ? options.width : without_terminal, out);
  } else if (!options.columns.empty()) {
    print_table(wanted_columns(run, options.columns), first, 0, out);
  } else {
    shown = print_table(wanted_columns(run, telling(run)), first, options.width, out);
  }
  for (const auto& event : run.events())
    out << fmt::format("{} at step {}: {}\n", event.level, event.step, spec::printable(event.text, 500));
  const auto figures = options.all ? figures_in(folder) : std::nullopt;
  if (figures) out << '\n' << figures_text(*figures, true);
  if (const auto failure = run.live() ? std::nullopt : record::read_failure(folder))
    std::cerr << fmt::format("failed (exit {}): {}\n", failure->exit, spec::printable(failure->what, 500));
  if (shown < run.columns().size())
    std::cerr << fmt::format("{} more columns: --all, or --columns a,b\n", run.columns().size() - shown);
}

size_t terminal_width() {
  winsize size{};
  return ::isatty(STDOUT_FILENO) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Adds --timeout: reading a damaged file may never end.
void add_timeout(CLI::App& command, double& seconds) {
  command.add_option("--timeout", seconds, "time limit in seconds for reading each run or file")->capture_default_str();
}

}  // namespace

RunReader open_run(const Path& folder) {
  if (std::filesystem::exists(folder / "run.h5")) return RunReader(folder / "run.h5");
  std::string help;
  if (const auto failure = record::read_failure(folder))
    help = "the run failed: " + spec::printable(failure->what, 500);
  throw Error(folder.string(), "has no run.h5, so nothing was recorded yet", help, Exit::data);
}

Path find_run(const std::string& run) {
  const Path given = run, named = Path("results") / run;
  if (std::filesystem::is_directory(given)) return given;
  if (given.filename() == "run.h5" && std::filesystem::exists(given))
    return given.has_parent_path() ? given.parent_path() : Path(".");
  if (!run.empty() && std::filesystem::is_directory(named)) return named;
  std::vector<std::string> known;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("results", code))
    if (report::is_run(entry.path())) known.push_back(entry.path().filename().string());
  std::sort(known.begin(), known.end());
  const auto here = std::filesystem::current_path(code).string();
  if (given.is_absolute()) throw Error(run, "no such run", "", Exit::data);
  if (const auto quick = Path("results/quick") / run; report::is_run(quick))
    throw Error(run, "no such run in results", fmt::format("did you mean '{}'?", quick.string()), Exit::data);
  throw Error(
      run, fmt::format("no such run: neither {} nor {} is a folder in {}", run, named.string(), here),
      (known.empty() ? "" : suggest(run, known) + "; ") + "if its results are elsewhere, name its folder: PATH/" + run,
      Exit::data);
}

int log_show(const LogShow& options, std::ostream& out) {
  const Path folder = find_run(options.run);
  const auto show = [&](std::ostream& text) {
    const RunReader run = open_run(folder);
    options.json ? show_rows_json(folder, run, options, text) : show_table(folder, run, options, text);
  };
  record::write_from_child(folder.string(), options.timeout_seconds, show, out);
  return 0;
}

void add_log_show(CLI::App& command, Action& action) {
  auto options = std::make_shared<LogShow>();
  command.add_option("RUN", options->run, "a run folder, or the name of one in results/")->required();
  command.add_flag("--json", options->json, "one JSON object: status, columns, times, events");
  command.add_option("--columns", options->columns, "only these, separated by commas")->delimiter(',');
  command.add_flag("--all", options->all, "print every column, and every figure of the summary");
  command.add_option("--last", options->last, "number of rows; 0: all")->capture_default_str();
  add_timeout(command, options->timeout_seconds);
  command.callback([options, &action] {
    options->width = terminal_width();
    action = [options] { return log_show(*options, std::cout); };
  });
}

void add_log_watch(CLI::App& command, Action& action) {
  auto options = std::make_shared<LogWatch>();
  command.add_option("RUN", options->runs, "run folders, or names of runs in results/")->required();
  command.add_option("--columns", options->columns, "these, separated by commas")->delimiter(',');
  command.add_option("--interval", options->interval, "seconds between two updates")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  add_timeout(command, options->timeout_seconds);
  command.callback(
      [options, &action] { action = [options] { return log_watch(*options, WatchTerminal::standard_output()); }; });
}

void add_log_export(CLI::App& command, Action& action) {
  auto options = std::make_shared<LogExport>();
  command.add_option("RUN", options->runs, "run folders, or names of runs in results/")->required();
  command.add_option("--csv", options->csv, "write every row as CSV to this file; -: standard output");
  command.add_option("--figures", options->figures,
                     "write the figures of the summaries as CSV to this file; -: standard output");
  command.add_option("--tensorboard", options->tensorboard,
                     "write a TensorBoard file to this folder; for several runs, to a subfolder for each");
  command.add_option(
      "--rollouts", options->rollouts,
      "write every completion with its prompt, rewards and advantage as JSON lines to this file; -: standard output");
  command.add_flag("--tokens", options->tokens, "with --rollouts: tokens and log-probabilities, too");
  add_timeout(command, options->timeout_seconds);
  command.callback([options, &action] { action = [options] { return log_export(*options, std::cout); }; });
}

void add_log_group(CLI::App& command, Action& action) {
  auto options = std::make_shared<LogGroup>();
  command.add_option("RUN", options->run, "a run folder, or the name of one in results/")->required();
  command.add_option("--step", options->step, "step to show; default: the last");
  command.add_option("--prompt", options->prompt, "index of the step's prompt, from 0")->capture_default_str();
  command.add_flag("--tokens", options->tokens, "each token with its log-probability");
  command.add_flag("--json", options->json, "one JSON object, with the tokens");
  add_timeout(command, options->timeout_seconds);
  command.callback([options, &action] { action = [options] { return log_group(*options, std::cout); }; });
}

void add_log_diff(CLI::App& command, Action& action) {
  auto options = std::make_shared<LogDiff>();
  command.add_option("BEFORE", options->before, "a run folder, or the name of one in results/")->required();
  command.add_option("AFTER", options->after, "another")->required();
  command.add_flag("--json", options->json, "one JSON object");
  add_timeout(command, options->timeout_seconds);
  command.callback([options, &action] { action = [options] { return log_diff(*options, std::cout); }; });
}

void add_log_verify(CLI::App& command, Action& action) {
  auto options = std::make_shared<LogVerify>();
  command.add_option("RUN", options->run, "a run folder, or the name of one in results/")->required();
  command.add_flag("--json", options->json, "one JSON object");
  add_timeout(command, options->timeout_seconds);
  command.callback([options, &action] { action = [options] { return log_verify(*options, std::cout); }; });
}

}  // namespace compeer::app
