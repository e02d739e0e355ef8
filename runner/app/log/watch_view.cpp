// Tables and lines of `compeer log watch`.
#include "app/log/watch_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "app/log/figures.h"
#include "base/error.h"
#include "launch/progress.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

constexpr size_t most_telling = 4, spark_rows = 64, spark_cells = 8, pace_rows = 20, gap = 2;

size_t characters(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string cut(const std::string& text, size_t most) {
  size_t seen = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && seen++ == most) return text.substr(0, i);
  }
  return text;
}

std::string newest(const WatchedRun& run, const std::string& column) {
  const auto found = run.values.find(column);
  return found == run.values.end() || found->second.empty() ? "" : figure_text(found->second.back());
}

std::string steps(const WatchedRun& run) {
  return run.steps > 0 ? fmt::format("{}/{}", run.step, run.steps) : fmt::format("{}", run.step);
}

// A column of the table; the first cell is the heading.
struct Column {
  std::vector<std::string> cells;
  bool right = false;  ///< right-aligned, for numbers
  size_t least = 0;    ///< minimum width, so that changing values do not move the columns after it

  size_t width() const {
    size_t most = least;
    for (const auto& cell : cells) most = std::max(most, characters(cell));
    return most;
  }
  std::string padded(size_t row) const {
    const std::string space(width() - characters(cells[row]), ' ');
    return right ? space + cells[row] : cells[row] + space;
  }
};

Column text_column(const std::vector<WatchedRun>& runs, const char* heading, bool right,
                   std::string (*cell)(const WatchedRun&), size_t least = 0) {
  Column column{{heading}, right, least};
  for (const auto& run : runs) column.cells.push_back(cell(run));
  return column;
}

// One column of the table with a metric's newest value and sparkline.
Column metric_column(const std::vector<WatchedRun>& runs, const std::string& name) {
  Column values{{""}, true, 9}, courses{{""}, false, spark_cells}, both{{spec::printable(name, 40)}, false};
  for (const auto& run : runs) {
    const auto found = run.values.find(name);
    values.cells.push_back(newest(run, name));
    courses.cells.push_back(found == run.values.end() ? "" : sparkline(found->second, spark_cells));
  }
  for (size_t i = 1; i < values.cells.size(); ++i) both.cells.push_back(values.padded(i) + " " + courses.padded(i));
  return both;
}

std::vector<Column> fixed_columns(const std::vector<WatchedRun>& runs) {
  return {text_column(runs, "run", false, [](const WatchedRun& run) { return spec::printable(run.name, 40); }),
          text_column(runs, "state", false, [](const WatchedRun& run) { return spec::printable(run.state, 20); }),
          text_column(runs, "step", true, steps),
          text_column(runs, "took", true, [](const WatchedRun& run) { return launch::duration_text(run.elapsed); }),
          text_column(runs, "left", true,
                      [](const WatchedRun& run) {
                        const double left = seconds_left(run);
                        return std::isnan(left) ? std::string("-") : launch::duration_text(left);
                      }),
          text_column(
              runs, "phase", false,
              [](const WatchedRun& run) { return run.ended() ? std::string() : spec::printable(run.phase, 30); }, 8)};
}

void append(std::vector<std::string>& lines, const Column& column) {
  lines.resize(std::max(lines.size(), column.cells.size()));
  for (size_t i = 0; i < column.cells.size(); ++i) {
    if (!lines[i].empty()) lines[i] += std::string(gap, ' ');
    lines[i] += column.padded(i);
  }
}

std::string row_text(const WatchedRun& run, uint64_t row, const std::vector<std::string>& columns) {
  std::string text = spec::printable(run.name, 60);
  const auto step = run.values.find("step");
  text += fmt::format(" {:.0f}", step == run.values.end() || row >= step->second.size() ? static_cast<double>(row + 1)
                                                                                        : step->second[row]);
  if (run.steps > 0) text += fmt::format("/{}", run.steps);
  for (const auto& name : columns) {
    const auto found = run.values.find(name);
    if (name != "step" && found != run.values.end() && row < found->second.size())
      text += fmt::format("  {} {}", spec::printable(name, 60), figure_text(found->second[row]));
  }
  return text;
}

}  // namespace

std::vector<std::string> default_columns(const std::vector<WatchedRun>& runs) {
  constexpr std::array wanted = {"reward", "loss", "kl", "distinct_2", "entropy", "length", "in", "out", "dropped"};
  std::vector<std::string> chosen;
  const auto any_has = [&](const std::string& name) {
    return std::any_of(runs.begin(), runs.end(), [&](const WatchedRun& run) {
      return std::find(run.columns.begin(), run.columns.end(), name) != run.columns.end();
    });
  };
  for (const char* name : wanted) {
    if (chosen.size() < most_telling && any_has(name)) chosen.emplace_back(name);
  }
  for (const auto& run : runs) {
    if (!chosen.empty()) break;
    for (const auto& name : run.columns) {
      if (name != "step" && chosen.size() < most_telling) chosen.push_back(name);
    }
  }
  return chosen;
}

std::string sparkline(const std::vector<double>& values, size_t characters) {
  constexpr std::array blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> last;
  for (size_t i = values.size() - std::min(values.size(), spark_rows); i < values.size(); ++i) {
    if (std::isfinite(values[i])) last.push_back(values[i]);
  }
  const size_t parts = std::min(characters, last.size());
  std::vector<double> means(parts);
  for (size_t part = 0; part < parts; ++part) {
    const size_t from = part * last.size() / parts, to = (part + 1) * last.size() / parts;
    for (size_t i = from; i < to; ++i) means[part] += last[i] / static_cast<double>(to - from);
  }
  if (means.empty()) return "";
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  const double least = *low, range = *high - *low;
  std::string line;
  for (const double mean : means) {
    const double share = range > 0 && std::isfinite(range) ? (mean - least) / range : 0.5;
    line += blocks[std::min<size_t>(blocks.size() - 1, static_cast<size_t>(share * blocks.size()))];
  }
  return line;
}

double seconds_left(const WatchedRun& run) {
  const size_t n = std::min(run.times.size(), pace_rows);
  if (run.ended() || n < 2 || run.steps <= run.rows()) return std::numeric_limits<double>::quiet_NaN();
  const double pace = (run.times.back() - run.times[run.times.size() - n]) / static_cast<double>(n - 1);
  return pace * static_cast<double>(run.steps - run.rows());
}

std::vector<std::string> watch_table(const std::vector<WatchedRun>& runs, const WatchView& view) {
  std::vector<std::string> lines, left_out, below;
  for (const auto& column : fixed_columns(runs)) append(lines, column);
  for (const auto& name : view.columns) {
    const auto column = metric_column(runs, name);
    if (characters(lines[0]) + gap + column.width() <= view.width) {
      append(lines, column);
    } else {
      left_out.push_back(spec::printable(name, 40));
    }
  }
  for (const auto& run : runs) {
    if (!run.problem.empty()) below.push_back(spec::printable(run.name + ": " + run.problem, 500));
  }
  if (!left_out.empty()) below.push_back(fmt::format("columns that do not fit: {}", fmt::join(left_out, ", ")));
  const size_t room = std::max<size_t>(view.height, 4) - 1;  // the last line is for the cursor
  below.resize(std::min(below.size(), room / 3));
  if (lines.size() + below.size() > room) {
    const size_t kept = room - below.size() - 1;
    below.insert(below.begin(), fmt::format("and {} more runs", lines.size() - kept));
    lines.resize(kept);
  }
  lines.insert(lines.end(), below.begin(), below.end());
  for (auto& line : lines) {
    line = cut(line, view.width);
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

std::vector<std::string> watch_changes(const std::vector<WatchedRun>& before, const std::vector<WatchedRun>& now,
                                       const WatchView& view) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < now.size(); ++i) {
    const bool known = i < before.size();
    uint64_t first = known ? before[i].rows() : now[i].rows() - std::min<uint64_t>(now[i].rows(), 1);
    if (first > now[i].rows()) first = 0;  // the run started over
    for (uint64_t row = first; row < now[i].rows(); ++row) lines.push_back(row_text(now[i], row, view.columns));
    if (known && before[i].state == now[i].state) continue;
    auto line = fmt::format("{}: {}", spec::printable(now[i].name, 60), spec::printable(now[i].state, 20));
    if (now[i].ended()) line += " after " + launch::duration_text(now[i].elapsed);
    if (!now[i].problem.empty()) line += ": " + spec::printable(now[i].problem, 500);
    lines.push_back(line);
  }
  return lines;
}

int exit_of(const std::vector<WatchedRun>& runs) {
  std::set<int> codes;
  for (const auto& run : runs) {
    if (run.state == "finished") continue;
    codes.insert(static_cast<int>(run.state == "preempted" ? Exit::preempted
                                  : run.exit != 0          ? static_cast<Exit>(run.exit)
                                                           : Exit::failure));
  }
  return codes.empty() ? 0 : codes.size() == 1 ? *codes.begin() : static_cast<int>(Exit::failure);
}

}  // namespace compeer::app
