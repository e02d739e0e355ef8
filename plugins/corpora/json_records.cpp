// Splits a JSON list or JSON Lines file into records, and reports unreadable ones.
#include "corpora/json_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace compeer::corpora {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // of UTF-8; some editors add it

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The characters the scanner must look at, within quotes and outside of them; the others are skipped.
using Marks = std::array<bool, 256>;
constexpr Marks marks(std::string_view characters) {
  Marks table{};
  for (const char c : characters) table[static_cast<unsigned char>(c)] = true;
  return table;
}
// Maximum number of times the rest of the file is scanned again after a missing bracket or quote.
constexpr int most_splits = 100;

constexpr const char* no_end = "is missing: the list does not end, as if the file were cut off";
constexpr Marks in_quotes = marks("\"\\\n"), in_lists = marks("\"{}[]");

bool ends_too_early(const std::string& record) {
  try {
    return nlohmann::json::parse(record).is_discarded();  // not discarded: parse throws instead
  } catch (const nlohmann::json::parse_error& error) {
    return error.byte > record.size();
  } catch (const nlohmann::json::exception&) {
    return false;  // a number out of the library's range
  }
}

/// Scans a file block by block and reports each record when it ends.
class Scanner {
 public:
  explicit Scanner(const std::function<void(const RawRecord&)>& f) : f_(f) {}

  void take(std::string_view block) {
    while (!block.empty()) {
      if (layout_ == Layout::unknown) begin(block[0]);
      const size_t dull = stretch(block);
      if (dull > 0) {
        record_.append(block.substr(0, dull));
        at_ += dull;
        block.remove_prefix(dull);
        continue;
      }
      if (layout_ == Layout::lines) line(block[0]);
      if (layout_ == Layout::list) element(block[0]);
      ++at_;
      block.remove_prefix(1);
      if (!rest_.empty()) block = rest_and(block);
    }
  }

  void end() {
    while (layout_ == Layout::list && !closed_ && split()) {
      const std::string rest(rest_and(""));
      take(rest);
    }
    if (layout_ == Layout::lines && !blank()) ends_too_early(record_) ? refuse(truncated_record) : emit();
    if (layout_ == Layout::unknown) refuse("is missing: the file is empty");
    if (layout_ != Layout::list || closed_) return;
    refuse(record_.empty() ? no_end : truncated_record);
  }

 private:
  enum class Layout { unknown, lines, list };

  void begin(char c) {
    if (at_ < byte_order_mark.size() && c == byte_order_mark[at_]) return;
    if (c == '\n') ++number_;
    if (is_space(c)) return;
    layout_ = c == '[' ? Layout::list : Layout::lines;
    if (layout_ == Layout::list) number_ = 0, opening_ = true;
  }

  void line(char c) {
    if (c != '\n') {
      add(c);
      return;
    }
    if (blank()) {
      ++number_, record_.clear();
    } else {
      emit();
    }
  }

  void element(char c) {
    if (std::exchange(opening_, false)) return;
    if (closed_) {
      if (!is_space(c) && !std::exchange(told_of_rest_, true)) refuse("follows the end of the list");
    } else if (record_.empty()) {
      if (c == ']') closed_ = true;
      if (c != ']' && c != ',' && !is_space(c)) inside(c);
    } else if (depth_ == 0 && !quoted_ && (c == ',' || c == ']' || is_space(c))) {
      emit();  // a number or a literal ends where something else begins
      closed_ = c == ']';
    } else {
      inside(c);
    }
  }

  void inside(char c) {
    add(c);
    if (quoted_) {
      quoted_ = c != '\n' && (escaped_ || c != '"');
      escaped_ = !escaped_ && c == '\\';
      if (!quoted_ && depth_ == 0) emit();
    } else if (c == '"') {
      quoted_ = true, escaped_ = false;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ <= 0) {
      emit();
    }
  }

  // Returns the number of following characters that only belong to the current record.
  size_t stretch(std::string_view block) const {
    if (record_.empty()) return 0;
    if (layout_ == Layout::lines) return std::min(block.find('\n'), block.size());
    if (layout_ != Layout::list || escaped_ || (depth_ == 0 && !quoted_)) return 0;
    const Marks& marks = quoted_ ? in_quotes : in_lists;
    size_t i = 0;
    while (i < block.size() && !marks[static_cast<unsigned char>(block[i])]) ++i;
    return i;
  }

  bool blank() const { return record_.find_first_not_of(" \t\r") == record_.npos; }

  void add(char c) {
    if (record_.empty()) offset_ = at_;
    record_ += c;
  }
  // Reports the current record.
  void emit() {
    if (layout_ == Layout::list && split()) return;
    f_({++number_, offset_, record_, ""});
    record_.clear(), depth_ = 0, quoted_ = false, escaped_ = false;
  }

  // Returns the beginning of the list's first record up to its first key; empty if it is not an object.
  std::string opening_key() const {
    const size_t quote = record_[0] == '{' ? record_.find_first_not_of(" \t\r\n", 1) : record_.npos;
    const size_t end = quote != record_.npos && record_[quote] == '"' ? record_.find('"', quote + 1) : record_.npos;
    return end == record_.npos ? "" : record_.substr(0, end + 1);
  }

  // Without a closing bracket or quote a record continues into the next one. Returns where that begins, recognized by
  // the first key.
  size_t next_record() const {
    if (opening_key_.empty() || splits_ == most_splits) return record_.npos;
    for (size_t at = 1; (at = record_.find(opening_key_, at)) != record_.npos; ++at) {
      const size_t before = record_.find_last_not_of(" \t\r\n", at - 1);
      if (record_[before] == ',') return nlohmann::json::accept(record_) ? record_.npos : at;
    }
    return record_.npos;
  }

  // Ends a record that has swallowed the next one and schedules the rest to be scanned again. Returns false if it has
  // not.
  bool split() {
    if (number_ == 0) opening_key_ = opening_key();
    const size_t next = next_record();
    if (next == record_.npos) return false;
    ++splits_;
    rest_ = record_.substr(next), rest_at_ = offset_ + next;
    record_.resize(record_.rfind(',', next));
    f_({++number_, offset_, record_, ""});
    record_.clear(), depth_ = 0, quoted_ = false, escaped_ = false;
    return true;
  }

  std::string_view rest_and(std::string_view block) {
    rest_ += block;
    rescan_buffer_.swap(rest_);
    rest_.clear();
    at_ = rest_at_;
    return rescan_buffer_;
  }

  void refuse(const std::string& problem) { f_({++number_, at_, "", problem}); }

  const std::function<void(const RawRecord&)>& f_;
  Layout layout_ = Layout::unknown;
  std::string record_, opening_key_, rest_, rescan_buffer_;
  uint64_t at_ = 0, offset_ = 0, rest_at_ = 0;
  int64_t number_ = 0;
  int depth_ = 0, splits_ = 0;
  bool quoted_ = false, escaped_ = false, opening_ = false, closed_ = false, told_of_rest_ = false;
};

constexpr size_t named = 3;  // maximum number of records in a message

std::string first_few(const std::vector<Unreadable>& left_out) {
  std::string text;
  for (size_t i = 0; i < left_out.size() && i < named; ++i)
    text += fmt::format("{}{}, record {}: {}", i ? "; " : "", left_out[i].file, left_out[i].record, left_out[i].reason);
  return text + (left_out.size() > named ? "; ..." : "");
}

}  // namespace

const char* const truncated_record = "is incomplete: the file ends within it, as if cut off";

void each_json_record(const std::filesystem::path& file, const std::function<void(const RawRecord&)>& f) {
  std::ifstream in = open_to_read(file);
  auto block = std::make_unique<std::array<char, 1 << 18>>();
  Scanner scanner(f);
  for (bool first = true; in; first = false) {
    in.read(block->data(), block->size());
    check_read(in, file);
    const std::string_view bytes(block->data(), static_cast<size_t>(in.gcount()));
    if (first) refuse_utf16(bytes, file.string());
    scanner.take(bytes);
  }
  scanner.end();
}

bool is_truncation(const std::string& problem) { return problem == no_end || problem == truncated_record; }

void read_records(const std::filesystem::path& file, std::vector<Unreadable>& left_out,
                  const std::function<void(json record, const RawRecord& raw)>& f) {
  each_json_record(file, [&](const RawRecord& raw) {
    try {
      if (!raw.problem.empty()) throw Refusal(raw.problem);
      f(parse(raw.bytes, raw.offset), raw);
    } catch (const Refusal& refusal) {
      left_out.push_back({file.string(), raw.number, refusal.what()});
    }
  });
}

void check_unreadable(const std::vector<Unreadable>& left_out, size_t read, const std::string& path, double allowed,
                      const std::string& if_all) {
  const size_t bad = left_out.size(), all = bad + read;
  if (bad == 0) return;
  for (const auto& [file, record, reason] : left_out) {
    if (allowed < 1 && is_truncation(reason))
      throw Error(file, fmt::format("record {} {}", record, reason),
                  "download the file again, or set max_unreadable = 1 to use the readable records", Exit::data);
  }
  const double share = static_cast<double>(bad) / static_cast<double>(all);
  if (read > 0 && share <= allowed) return;
  throw Error(path,
              fmt::format("{} of {} records can't be read ({:.3g} %): {}", bad, all, 100 * share, first_few(left_out)),
              read == 0 ? if_all : fmt::format("'max_unreadable' allows a share of {}", allowed), Exit::data);
}

}  // namespace compeer::corpora
