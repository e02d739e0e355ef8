#include "record/findings_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "spec/text.h"

namespace compeer::record {

using nlohmann::json;

namespace {

bool is_figure(const json& value) { return value.is_object() && value.contains("value") && value.contains("low"); }

std::string number_text(const json& value) {
  if (value.is_number_integer()) return value.dump();
  return value.is_number() ? fmt::format("{:.2f}", value.get<double>()) : "none";
}

std::string figure_text(const json& figure) {
  auto text = number_text(figure.at("value"));
  if (!figure.at("low").is_number() || !figure.at("high").is_number()) return text;
  return fmt::format("{} [{}, {}]", text, number_text(figure.at("low")), number_text(figure.at("high")));
}

using Row = std::vector<std::string>;

Row row_of(const std::string& name, const json& figures, const json& columns) {
  Row row = {spec::printable(name, 40), figures.contains("n") ? number_text(figures.at("n")) : ""};
  for (const json& column : columns) {
    const auto found = figures.find(column.get<std::string>());
    row.push_back(found != figures.end() && is_figure(*found) ? figure_text(*found) : "");
  }
  return row;
}

// A group of records has figures of its own, under the names of the columns.
bool is_group(const json& value, const json& columns) {
  return value.is_object() && std::any_of(columns.begin(), columns.end(), [&](const json& column) {
           const auto found = value.find(column.get<std::string>());
           return found != value.end() && is_figure(*found);
         });
}

// Without "columns": what it calls "shares", and then the other figures of its groups.
json columns_of(const json& findings) {
  if (findings.contains("columns") || !findings.contains("shares")) return findings.value("columns", json::array());
  json columns = findings.at("shares");
  for (const auto& [kind, groups] : findings.items()) {
    if (!groups.is_object()) continue;
    for (const auto& [name, group] : groups.items()) {
      if (!group.is_object()) continue;
      for (const auto& [figure, value] : group.items()) {
        if (is_figure(value) && std::find(columns.begin(), columns.end(), figure) == columns.end())
          columns.push_back(figure);
      }
    }
  }
  return columns;
}

std::vector<Row> rows_of(const json& findings, const json& columns) {
  std::vector<Row> rows = {{"", "n"}};
  for (const json& column : columns) rows[0].push_back(column);
  if (is_group(findings, columns)) rows.push_back(row_of("all", findings, columns));
  for (const auto& [kind, groups] : findings.items()) {
    if (!groups.is_object()) continue;
    for (const auto& [name, group] : groups.items()) {
      if (is_group(group, columns)) rows.push_back(row_of(fmt::format("{}: {}", kind, name), group, columns));
    }
  }
  return rows;
}

// Columns of a terminal: characters from U+1000 on count two, which is right of all but a few.
size_t width(const std::string& text) {
  size_t sum = 0;
  for (const char c : text) sum += (c & 0xC0) == 0x80 ? 0 : c >= '\xE1' && c <= '\xF4' ? 2 : 1;
  return sum;
}

std::string padded(const std::string& text, size_t to) { return text + std::string(to - width(text), ' '); }

std::string aligned(const std::vector<Row>& rows) {
  std::string text;
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += (i == 1 ? fmt::format("{:>{}}", row[i], widths[i]) : padded(row[i], widths[i])) + "  ";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// "failure 13, limit 52"; empty if there is anything but numbers.
std::string numbers_text(const json& object) {
  std::string text;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_number()) return "";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spec::printable(name), number_text(value));
  }
  return text;
}

std::string others_text(const json& findings, const json& columns) {
  std::string text;
  for (const auto& [name, value] : findings.items()) {
    if (name == "n" || std::find(columns.begin(), columns.end(), name) != columns.end()) continue;
    const auto told = value.is_number()   ? number_text(value)
                      : is_figure(value)  ? figure_text(value)
                      : value.is_object() ? numbers_text(value)
                                          : "";
    if (!told.empty()) text += fmt::format("{}: {}\n", spec::printable(name), told);
  }
  return text;
}

std::string curves_text(const json& curves) {
  std::string text;
  for (const auto& [name, points] : curves.items()) {
    text += spec::printable(name) + ":";
    for (const json& point : points) text += " " + number_text(point.at("value"));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string findings_text(const json& findings) {
  const json columns = columns_of(findings);
  std::string text;
  if (!columns.empty()) text += aligned(rows_of(findings, columns)) + "\n";
  text += others_text(findings, columns);
  if (findings.contains("curves")) text += curves_text(findings.at("curves"));
  return text;
}

}  // namespace compeer::record
