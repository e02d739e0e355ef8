// Text output of evaluation findings and of the stages of data runs.
#include "record/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/json.h"
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

// True if `value` has figures with the names of columns: then it is a group of records.
bool is_group(const json& value, const json& columns) {
  return value.is_object() && std::any_of(columns.begin(), columns.end(), [&](const json& column) {
           const auto found = value.find(column.get<std::string>());
           return found != value.end() && is_figure(*found);
         });
}

// Names of the table's columns: "columns"; without that, "shares" and the other figures of the groups.
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

// Width on a terminal: characters from U+1000 on count as two columns, which is right for most.
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

// "failure 13, limit 52"; "" if a value is not a number.
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

constexpr size_t most_counts = 8;  // maximum number of a stage's counts to list; some stages count all pairs of labels

std::string listed(const json& numbers) {
  std::string text;
  for (const auto& [name, value] : numbers.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spec::printable(name, 80), value.dump());
  return text;
}

std::string counted(const json& counts) {
  if (counts.size() > most_counts) return fmt::format("{} counts, listed in summary.json", counts.size());
  json whole = json::object();  // 3, not 3.0
  for (const auto& [name, value] : counts.items()) {
    const double number = value.get<double>();
    whole[name] = std::trunc(number) == number && std::abs(number) < 1e15 ? json(static_cast<int64_t>(number)) : value;
  }
  return listed(whole);
}

std::string chats(const json& chats) {
  const auto number = [&](const char* name) { return chats.value(name, int64_t{0}); };
  if (number("asked") + number("known") == 0) return "";
  auto text = fmt::format("asked {}, from stored answers {}, unanswered {}", number("asked"), number("known"),
                          number("failed"));
  if (number("prompt_tokens") + number("completion_tokens") > 0)
    text += fmt::format("; tokens: {} in prompts, {} in answers", number("prompt_tokens"), number("completion_tokens"));
  if (chats.value("cost", 0.0) > 0) text += fmt::format("; cost {:.4f}", chats.at("cost").get<double>());
  return text;
}

// Requests per model over all starts of the run.
std::string paid(const json& models) {
  std::string text;
  for (const auto& [model, sum] : models.items()) {
    text += fmt::format("sent to {} in all: {} requests, {} failed; {} prompt tokens, {} answer tokens",
                        spec::printable(model, 80), sum.value("requests", int64_t{0}), sum.value("failed", int64_t{0}),
                        sum.value("prompt_tokens", int64_t{0}), sum.value("completion_tokens", int64_t{0}));
    if (sum.value("cost", 0.0) > 0) text += fmt::format("; cost {:.4f}", sum.at("cost").get<double>());
    text += '\n';
  }
  return text;
}

std::string name_of(const json& stage) { return spec::printable(stage.at("stage").get<std::string>(), 100); }

void add(const char* title, const std::string& what, std::string& text) {
  if (!what.empty()) text += fmt::format("  {}: {}\n", title, what);
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

std::string stages_text(const json& details) {
  if (!details.is_object() || !details.contains("stages")) return "";
  const json& stages = details.at("stages");
  size_t widest = 5;
  for (const json& stage : stages) widest = std::max(widest, name_of(stage).size());
  std::string text = fmt::format("{:<{}}  {:>9} {:>9} {:>9}\n", "stage", widest, "in", "out", "dropped");
  for (const json& stage : stages) {
    uint64_t dropped = 0;
    for (const json& count : stage.at("dropped")) dropped += get_integer<uint64_t>(count);
    text +=
        fmt::format("{:<{}}  {:>9} {:>9} {:>9}{}\n", name_of(stage), widest, get_integer<int64_t>(stage.at("in")),
                    get_integer<int64_t>(stage.at("out")), dropped, stage.at("reused").get<bool>() ? "  (reused)" : "");
    add("dropped", listed(stage.at("dropped")), text);
    add("counted", counted(stage.at("counts")), text);
    add("chat models", chats(stage.at("chats")), text);
  }
  return text + paid(details.value("chats", json::object()));
}

}  // namespace compeer::record
