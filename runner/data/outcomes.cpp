// Results of a portion of a stage: counts, serialization of records, and the limit of unreadable answers.
#include "data/outcomes.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace compeer::data {

using nlohmann::json;

namespace {

// The JSON escape of a character: the letter after the backslash; 0 if it needs none; '?' if the library must print it.
constexpr char escape(unsigned char c) {
  return c == '"' ? '"' : c == '\\' ? '\\' : c == '\n' ? 'n' : c < 0x20 ? '?' : '\0';
}

// Appends the text as a JSON string. Returns false, with `line` unchanged, if the library must print it.
bool print_plain(const std::string& text, std::string& line) {
  if (first_broken(text) < text.size()) return false;
  const size_t before = line.size();
  line += '"';
  size_t done = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char how = escape(static_cast<unsigned char>(text[i]));
    if (how == '\0') continue;
    if (how == '?') return line.resize(before), false;
    line.append(text, done, i - done);
    line += '\\';
    line += how;
    done = i + 1;
  }
  line.append(text, done);
  line += '"';
  return true;
}

void print_object(const json& object, std::string& line) {
  line += '{';
  for (auto member = object.begin(); member != object.end(); ++member) {
    if (member != object.begin()) line += ',';
    if (!print_plain(member.key(), line)) line += json(member.key()).dump();
    line += ':';
    append_json(*member, line);
  }
  line += '}';
}

void print_array(const json& array, std::string& line) {
  line += '[';
  for (size_t i = 0; i < array.size(); ++i) {
    if (i > 0) line += ',';
    append_json(array[i], line);
  }
  line += ']';
}

}  // namespace

int64_t Tally::dropped_in_all() const {
  int64_t sum = 0;
  for (const auto& [reason, count] : dropped) sum += count;
  return sum;
}

void Tally::add(const Tally& other) {
  in += other.in;
  out += other.out;
  for (const auto& [reason, count] : other.dropped) dropped[reason] += count;
  for (const auto& [name, value] : other.counts) counts[name] += value;
}

void to_json(json& made, const Tally& tally) {
  made = {{"in", tally.in}, {"out", tally.out}, {"dropped", tally.dropped}, {"counts", tally.counts}};
}

void from_json(const json& given, Tally& tally) {
  given.at("in").get_to(tally.in);
  given.at("out").get_to(tally.out);
  given.at("dropped").get_to(tally.dropped);
  given.at("counts").get_to(tally.counts);
}

QuestionCount& QuestionCount::operator+=(const QuestionCount& other) {
  records += other.records;
  questions += other.questions;
  malformed += other.malformed;
  return *this;
}

QuestionCount own_questions(const Tally& tally) {
  const auto count = [&](const char* name) {
    const auto found = tally.counts.find(name);
    return found == tally.counts.end() ? int64_t{0} : static_cast<int64_t>(found->second);
  };
  return {0, count("questions"), count("malformed answers")};
}

void PortionResult::put(const json& record, const Summarizer& summarize) {
  append_json(record, records);
  put(record, "", summarize);
}

void PortionResult::put(const json& record, std::string_view line, const Summarizer& summarize) {
  records.append(line);
  records += '\n';
  ++tally.out;
  if (summarize) put_packed(summarize(record), summaries);
}

std::string PortionResult::pack() const {
  std::string bytes;
  bytes.reserve(records.size() + dropped.size() + summaries.size() + 500);
  put_packed(records, bytes);
  put_packed(dropped, bytes);
  put_packed(summaries, bytes);
  put_packed(json(tally).dump(), bytes);
  put_packed(json{asked.records, asked.questions, asked.malformed}.dump(), bytes);
  return bytes;
}

PortionResult PortionResult::unpack(std::string_view bytes) {
  PortionResult portion;
  portion.records = take_packed(bytes);
  portion.dropped = take_packed(bytes);
  portion.summaries = take_packed(bytes);
  portion.tally = json::parse(take_packed(bytes)).get<Tally>();
  const json asked = json::parse(take_packed(bytes));
  portion.asked = {asked[0], asked[1], asked[2]};
  return portion;
}

void each_summary(std::string_view summaries, const std::function<void(std::string)>& f) {
  while (!summaries.empty()) f(std::string(take_packed(summaries)));
}

PortionResult portion_of(const RecordLines& lines, const std::vector<Outcome>& outcomes, const Summarizer& summarize) {
  PortionResult portion;
  portion.tally.in = static_cast<int64_t>(outcomes.size());
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    for (const auto& [name, value] : outcome.counts) portion.tally.counts[name] += value;
    for (const json& record : outcome.records) portion.put(record, summarize);
    if (outcome.unchanged) portion.put(lines.records[i], lines.texts[i], summarize);
    if (outcome.dropped.empty()) continue;
    ++portion.tally.dropped[outcome.dropped];
    json told = {{"id", lines.records[i].at("id")}, {"reason", outcome.dropped}};
    if (!outcome.answer.empty()) told["answer"] = outcome.answer;
    portion.dropped += told.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  }
  return portion;
}

void append_json(const json& value, std::string& line) {
  if (value.is_object()) {
    print_object(value, line);
  } else if (value.is_array()) {
    print_array(value, line);
  } else if (!value.is_string() || !print_plain(value.get_ref<const std::string&>(), line)) {
    line += value.dump();
  }
}

bool UnreadableLimit::too_many_with(const QuestionCount& portion) {
  sum_.records += portion.records;
  sum_.questions += portion.questions;
  sum_.malformed += portion.malformed;
  if (sum_.questions == 0) return false;
  const auto n = static_cast<double>(sum_.questions), malformed = static_cast<double>(sum_.malformed);
  if (portion.records > 0)
    most_per_record_ =
        std::max(most_per_record_, static_cast<double>(portion.questions) / static_cast<double>(portion.records));
  const double all = n + most_per_record_ * static_cast<double>(records_ - sum_.records);
  if (malformed > share_ * all) return true;
  constexpr double fewest = 50;
  const double error = std::max(std::sqrt(share_ * (1 - share_) / n), 1 / n);
  return n >= fewest && malformed / n > share_ + 3 * error;
}

}  // namespace compeer::data
