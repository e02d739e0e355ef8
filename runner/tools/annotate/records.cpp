// Reads records to be judged, and exports of the page.
#include "tools/annotate/records.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"

namespace compeer::annotate {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& what) { throw Error("", what, "", Exit::data); }

const std::string& text(const json& object, const char* key, const std::string& of = "") {
  if (!object.is_object() || !object.contains(key) || !object.at(key).is_string())
    refuse(fmt::format("{}has no text '{}'", of, key));
  return object.at(key).get_ref<const std::string&>();
}

const json& list(const json& object, const char* key) {
  if (!object.contains(key) || !object.at(key).is_array()) refuse(fmt::format("has no list '{}'", key));
  return object.at(key);
}

void check_record(const json& record) {
  if (text(record, "id").empty()) refuse("has an empty 'id'");
  for (const json& turn : list(record, "history")) {
    text(turn, "role", "a turn of 'history' ");
    text(turn, "text", "a turn of 'history' ");
  }
  const json& candidates = list(record, "candidates");
  if (candidates.empty() || candidates.size() > 2)
    refuse(fmt::format("has {} candidates, not one or two", candidates.size()));
  if (candidates.size() == 1) text(record, "reference");
  const bool steps = has_steps(record);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto of = fmt::format("candidate {} ", i + 1);
    if (steps)
      for (const char* step : reasoning_steps) text(candidates[i], step, of);
    text(candidates[i], "reply", of);
  }
}

StepAnswers steps_of(const json& line, size_t candidates) {
  StepAnswers steps;
  const json& lists = list(line, "steps");
  if (lists.size() != candidates) refuse(fmt::format("has 'steps' of {} candidates, not {}", lists.size(), candidates));
  for (const json& answers : lists) {
    if (!answers.is_array() || answers.size() != 3 ||
        !std::all_of(answers.begin(), answers.end(), [](const json& answer) { return answer.is_boolean(); }))
      refuse("has 'steps' that are not three values true or false");
    steps.push_back(answers.get<std::array<bool, 3>>());
  }
  return steps;
}

std::string preference_of(const json& line) {
  const auto& word = text(line, "preference");
  if (std::find(preferences.begin(), preferences.end(), word) == preferences.end())
    refuse(fmt::format("has the preference '{}', which is not one of {}", word, fmt::join(preferences, ", ")));
  return word;
}

// The record that a line is about, and whether its replies were shown in reverse order.
struct Shown {
  size_t record = 0;
  bool turned = false;
};

Shown shown_in(const json& line, const RecordFile& records, const std::map<std::string, Shown>& items) {
  if (line.contains("item")) {
    const auto found = items.find(text(line, "item"));
    if (found == items.end())
      refuse(fmt::format("is about item '{}', but there is no such record", text(line, "item")));
    return found->second;
  }
  const auto found = records.by_id.find(text(line, "id"));
  if (found == records.by_id.end()) refuse(fmt::format("is about '{}', but there is no such record", text(line, "id")));
  return {found->second, false};
}

std::map<std::string, Shown> page_items(const RecordFile& records) {
  std::map<std::string, Shown> items;
  for (size_t i = 0; i < records.records.size(); ++i) {
    for (const bool turned : {false, true})
      items.emplace(page_item(records, records.records[i], turned), Shown{i, turned});
  }
  return items;
}

void turn(AnnotationLine& judgement) {
  if (judgement.steps.size() == 2) std::swap(judgement.steps[0], judgement.steps[1]);
  if (judgement.preference == "first" || judgement.preference == "second")
    judgement.preference = judgement.preference == "first" ? "second" : "first";
}

AnnotationLine judgement(const json& line, const RecordFile& records, const std::map<std::string, Shown>& items) {
  const auto [number, turned] = shown_in(line, records, items);
  if (text(line, "annotator").find_first_not_of(" \t\r\n") == std::string::npos) refuse("has an empty 'annotator'");
  const json& record = records.records[number];
  const size_t candidates = has_steps(record) ? record.at("candidates").size() : 0;
  AnnotationLine made{number, text(line, "annotator"), steps_of(line, candidates), preference_of(line)};
  if (turned) turn(made);
  return made;
}

constexpr size_t listed_most = 20;
constexpr uint64_t largest = uint64_t{16} << 30;  // maximum size of a file, which is read completely

}  // namespace

RecordFile read_records(const std::filesystem::path& file) {
  RecordFile result;
  std::map<std::string, size_t> lines;
  const auto bad = read_lines(file, [&](json&& record, size_t line) {
    check_record(record);
    const auto& id = record.at("id").get_ref<const std::string&>();
    const auto [first, is_new] = lines.try_emplace(id, line);
    if (!is_new) refuse(fmt::format("has the id '{}' of line {}", id, first->second));
    result.by_id[id] = result.records.size();
    result.records.push_back(std::move(record));
  });
  refuse_bad_lines(file, bad);
  if (result.records.empty()) throw Error(file.string(), "contains no records", "", Exit::data);
  result.hash = sha256_file(file);
  result.folder = file.parent_path();
  return result;
}

bool has_steps(const json& record) {
  const json& candidates = record.at("candidates");
  return std::any_of(candidates.begin(), candidates.end(), [](const json& candidate) {
    return std::any_of(reasoning_steps.begin(), reasoning_steps.end(), [&](const char* step) {
      return candidate.is_object() && candidate.value(step, json("")) != "";
    });
  });
}

json replies(const json& record) {
  json result = json::array();
  const json& candidates = record.at("candidates");
  if (candidates.size() == 1) result.push_back(record.at("reference"));
  for (const json& candidate : candidates) result.push_back(candidate.at("reply"));
  return result;
}

std::string evident_preference(const json& record) {
  if (has_steps(record)) return "";
  constexpr const char* space = " \t\r\n";
  auto said = replies(record).get<std::array<std::string, 2>>();
  for (auto& reply : said) {
    reply.erase(0, reply.find_first_not_of(space));
    reply.erase(reply.find_last_not_of(space) + 1);
  }
  if (said[0].empty()) return said[1].empty() ? "neither" : "second";
  if (said[1].empty()) return "first";
  return said[0] == said[1] ? "both good" : "";
}

std::string page_item(const RecordFile& file, const json& record, bool turned) {
  const auto& id = record.at("id").get_ref<const std::string&>();
  return sha256(file.hash + (turned ? "\nturned\n" : "\n") + id).substr(0, 16);
}

json AnnotationLine::to_json() const {
  return {{"annotator", annotator}, {"steps", steps}, {"preference", preference}};
}

std::vector<AnnotationLine> read_export(const std::filesystem::path& file, const RecordFile& records) {
  std::vector<AnnotationLine> result;
  bool foreign = false;
  const auto items = page_items(records);
  const auto bad = read_lines(file, [&](json&& line, size_t) {
    foreign = foreign || text(line, "file") != records.hash;
    if (!foreign) result.push_back(judgement(line, records, items));
  });
  if (foreign)
    throw Error(file.string(), "belongs to another file of records",
                "name the records of its page with --file; the file must be unchanged since the page was written",
                Exit::data);
  refuse_bad_lines(file, bad);
  if (result.empty()) throw Error(file.string(), "contains no judgements", "", Exit::data);
  return result;
}

std::vector<BadLine> read_lines(const std::filesystem::path& file,
                                const std::function<void(nlohmann::json&& object, size_t line)>& take) {
  const std::string bytes = read_file(file, largest), where = file.string();
  refuse_utf16(bytes, where);
  std::vector<BadLine> bad;
  std::string_view rest = bytes;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // byte order mark
  for (size_t number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    try {
      take(parse_json_object(line, where), number);
    } catch (const Error& error) {
      bad.push_back({number, error.problem()});
    }
  }
  return bad;
}

std::string listed(const std::filesystem::path& file, const std::vector<BadLine>& bad) {
  std::string text;
  for (size_t i = 0; i < bad.size() && i < listed_most; ++i)
    text += fmt::format("{}{}:{}: {}", i ? "\n" : "", file.string(), bad[i].line, bad[i].reason);
  if (bad.size() > listed_most) text += fmt::format("\nand {} more", bad.size() - listed_most);
  return text;
}

void refuse_bad_lines(const std::filesystem::path& file, const std::vector<BadLine>& bad) {
  if (bad.empty()) return;
  const std::string lines = bad.size() == 1 ? "a line" : fmt::format("{} lines", bad.size());
  throw Error(file.string(), fmt::format("has {} that can't be used:\n{}", lines, listed(file, bad)), "", Exit::data);
}

std::string json_line(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace compeer::annotate
