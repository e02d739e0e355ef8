#include "script/study_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace compeer::script {

namespace {

constexpr size_t longest_line = 120, narrowest_cell = 14;

using Lines = std::vector<std::vector<std::string>>;  // the name of a row, and its cells

size_t width(const std::string& text) {  // characters, not bytes
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string aligned(const std::vector<std::vector<std::string>>& cells, const std::vector<std::string>& notes) {
  std::vector<size_t> widths(cells[0].size());
  for (const auto& line : cells) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  std::string text;
  for (const auto& line : cells) {
    std::string padded;
    for (size_t i = 0; i < line.size(); ++i) padded += line[i] + std::string(widths[i] - width(line[i]) + 2, ' ');
    text += padded.substr(0, padded.find_last_not_of(' ') + 1) + '\n';
  }
  for (const auto& note : notes) text += note + '\n';
  text.pop_back();
  return text;
}

std::string cell(const Estimate& found, const char* number, const std::string& mark) {
  if (!found.known()) return "-";
  auto text = fmt::format(fmt::runtime(number), found.mean);
  if (found.has_interval()) text += fmt::format(" ±{:.3f}", found.high - found.mean);
  return text + mark;
}

// "*" and "+" of the best and the second best mean of a figure, by row; none where two are the same.
std::map<size_t, std::string> best_two(const std::vector<Estimate>& means, int better) {
  std::vector<size_t> order;
  for (size_t i = 0; i < means.size(); ++i) {
    if (means[i].known()) order.push_back(i);
  }
  if (better == 0 || order.size() < 2) return {};
  const auto is_better = [&](size_t a, size_t b) { return better * means[a].mean > better * means[b].mean; };
  std::stable_sort(order.begin(), order.end(), is_better);
  std::map<size_t, std::string> marks;
  if (is_better(order[0], order[1])) {
    marks[order[0]] = "*";
    if (order.size() == 2 || is_better(order[1], order[2])) marks[order[1]] = "+";
  }
  return marks;
}

Lines mean_lines(const StudyTable& table) {
  Lines lines;
  for (const auto& row : table.rows) lines.push_back({row});
  for (size_t f = 0; f < table.figures.size(); ++f) {
    std::vector<Estimate> means;
    for (const auto& row : table.values) means.push_back(statistics::mean_interval(row[f]));
    auto marks = best_two(means, table.figures[f].better);
    for (size_t r = 0; r < means.size(); ++r) lines[r].push_back(cell(means[r], "{:.3f}", marks[r]));
  }
  return lines;
}

// All differences with their marks, by contrast; and how many of them were tested.
std::pair<Lines, size_t> difference_lines(const StudyTable& table) {
  std::vector<Estimate> found;
  std::vector<double> p_values;
  for (const auto& contrast : table.contrasts) {
    for (size_t f = 0; f < table.figures.size(); ++f) {
      const auto differences =
          contrast.compares(f) ? table.differences(contrast.row, contrast.base, f) : std::vector<double>();
      found.push_back(statistics::mean_interval(differences));
      p_values.push_back(found.back().has_interval() ? statistics::t_test(differences) : Estimate::unknown);
    }
  }
  const auto corrected = statistics::holm(p_values);
  Lines lines;
  for (size_t i = 0; i < found.size(); ++i) {
    const size_t contrast = i / table.figures.size();
    if (lines.size() == contrast) lines.push_back({table.rows[table.contrasts[contrast].row]});
    const bool compared = table.contrasts[contrast].compares(i % table.figures.size());
    const auto mark = !found[i].clear() ? "" : corrected[i] < 0.05 ? "!!" : "!";
    lines.back().push_back(compared ? cell(found[i], "{:+.3f}", mark) : "");
  }
  const auto tested = [](double p) { return !std::isnan(p); };
  return {lines, static_cast<size_t>(std::count_if(p_values.begin(), p_values.end(), tested))};
}

size_t columns_of_a_block(const StudyTable& table) {
  size_t name = table.name.size(), widest = narrowest_cell;
  for (const auto& row : table.rows) name = std::max(name, row.size());
  for (const auto& figure : table.figures) widest = std::max(widest, figure.title.size());
  return std::max<size_t>(1, longest_line > name ? (longest_line - name) / (widest + 2) : 1);
}

std::string block(const StudyTable& table, const std::string& corner, const Lines& lines, size_t from, size_t to) {
  Lines cells{{corner}};
  for (size_t f = from; f < to; ++f) cells[0].push_back(table.figures[f].title);
  for (const auto& line : lines) {
    cells.push_back({line[0]});
    for (size_t f = from; f < to; ++f) cells.back().push_back(line[f + 1]);
  }
  return aligned(cells, {}) + "\n";
}

// The lines of the contrasts with this base that compare any of the figures from `from` to before `to`.
Lines against(const StudyTable& table, const Lines& lines, size_t base, size_t from, size_t to) {
  Lines some;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto& contrast = table.contrasts[i];
    const auto shown = [&](size_t figure) { return from <= figure && figure < to; };
    if (contrast.base == base && std::ranges::any_of(contrast.figures, shown)) some.push_back(lines[i]);
  }
  return some;
}

std::vector<size_t> bases_of(const StudyTable& table) {
  std::vector<size_t> bases;
  for (const auto& contrast : table.contrasts) {
    if (std::find(bases.begin(), bases.end(), contrast.base) == bases.end()) bases.push_back(contrast.base);
  }
  return bases;
}

// "left out: URP has no 'win', 'tie' (seeds 1, 2)"
std::vector<std::string> gaps(const StudyTable& table) {
  std::vector<std::string> lines;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    std::map<std::vector<int64_t>, std::vector<std::string>> missing;
    for (size_t f = 0; f < table.figures.size(); ++f) {
      std::vector<int64_t> seeds;
      for (size_t s = 0; s < table.seeds.size(); ++s) {
        if (!std::isfinite(table.values[r][f][s])) seeds.push_back(table.seeds[s]);
      }
      if (!seeds.empty()) missing[seeds].push_back(fmt::format("'{}'", table.figures[f].title));
    }
    for (const auto& [seeds, titles] : missing)
      lines.push_back(fmt::format("left out: {} has no {} (seed{} {})", table.rows[r], fmt::join(titles, ", "),
                                  seeds.size() == 1 ? "" : "s", fmt::join(seeds, ", ")));
  }
  return lines;
}

}  // namespace

void StudyTable::clear() {
  const std::vector<double> none(seeds.size(), Estimate::unknown);
  values.assign(rows.size(), std::vector<std::vector<double>>(figures.size(), none));
}

bool StudyTable::Contrast::compares(size_t figure) const {
  return std::find(figures.begin(), figures.end(), figure) != figures.end();
}

StudyTable StudyTable::so_far() const {
  StudyTable some = *this;
  some.seeds.clear();
  for (auto& row : some.values) {
    for (auto& figure : row) figure.clear();
  }
  for (size_t seed = 0; seed < seeds.size(); ++seed) {
    const auto known = [&](const auto& figure) { return !std::isnan(figure[seed]); };
    if (std::none_of(values.begin(), values.end(), [&](const auto& row) { return std::ranges::any_of(row, known); }))
      continue;
    some.seeds.push_back(seeds[seed]);
    for (size_t r = 0; r < values.size(); ++r) {
      for (size_t f = 0; f < figures.size(); ++f) some.values[r][f].push_back(values[r][f][seed]);
    }
  }
  return some;
}

std::vector<double> StudyTable::differences(size_t row, size_t base_row, size_t figure) const {
  std::vector<double> found;
  const auto &own = values[row][figure], &base = values[base_row][figure];
  for (size_t i = 0; i < own.size(); ++i) found.push_back(own[i] - base[i]);
  return found;
}

std::string StudyTable::text() const {
  const auto means = mean_lines(*this);
  const auto [differences, tested] = difference_lines(*this);
  std::string text;
  for (size_t from = 0, width = columns_of_a_block(*this); from < figures.size(); from += width) {
    const size_t to = std::min(figures.size(), from + width);
    text += (from == 0 ? "" : "\n") + block(*this, name, means, from, to);
    for (const size_t base : bases_of(*this)) {
      const auto lines = against(*this, differences, base, from, to);
      if (!lines.empty()) text += "\n" + block(*this, "minus " + rows[base], lines, from, to);
    }
  }
  std::vector<std::string> lines = gaps(*this);
  if (seeds.size() == 1) {
    lines.emplace_back("a single seed has no intervals");
  } else {
    lines.push_back(fmt::format("±: half of the 95 % interval (Student's t) over {} seeds", seeds.size()));
  }
  if (tested > 0)
    lines.push_back(fmt::format(
        "!: the 95 % interval leaves zero out; !!: with Holm's correction for all {} differences, too", tested));
  lines.insert(lines.end(), notes.begin(), notes.end());
  return fmt::format("{}\n{}", text, fmt::join(lines, "\n"));
}

}  // namespace compeer::script
