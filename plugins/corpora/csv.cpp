// Reads comma separated values.
#include "corpora/csv.h"

#include "corpora/fields.h"
#include "corpora/json_records.h"

namespace compeer::corpora {

namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  bool done() const { return at_ >= text_.size(); }

  // Reads the next row; it has no fields if the line is blank.
  CsvRow next(int64_t number) {
    CsvRow row{number, {}, ""};
    const size_t begin = at_;
    if (end_of_line()) return row;
    while (row.problem.empty()) {
      row.fields.emplace_back();
      row.problem = peek() == '"' ? quoted(row.fields.back()) : plain(row.fields.back());
      if (!row.problem.empty() || end_of_line()) break;
      ++at_;  // skips the comma
    }
    if (!row.problem.empty()) skip_line();
    try {
      check_text(text_.substr(begin, at_ - begin), begin);
    } catch (const Refusal& refusal) {
      row.problem = refusal.what();
    }
    return row;
  }

 private:
  char peek() const { return done() ? '\n' : text_[at_]; }

  bool at_line_end() const { return peek() == '\n' || text_.substr(at_, 2) == "\r\n"; }

  bool end_of_line() {
    if (!at_line_end()) return false;
    at_ += peek() == '\r' ? 2 : 1;
    return true;
  }

  void skip_line() {
    const size_t end = text_.find('\n', at_);
    at_ = end == text_.npos ? text_.size() : end + 1;
  }

  std::string plain(std::string& field) {
    for (; !at_line_end() && peek() != ','; ++at_) {
      if (peek() == '"') return "has a quote inside an unquoted field";
      field += peek();
    }
    return "";
  }

  std::string quoted(std::string& field) {
    const size_t opening = at_;
    for (++at_; !done(); ++at_) {
      if (text_[at_] == '"' && text_.substr(at_, 2) != "\"\"") break;
      if (text_[at_] == '"') ++at_;
      field += text_[at_];
    }
    if (done()) {
      at_ = opening;  // continue after the line, so that a stray quote does not swallow the rest of the file
      return text_.find('\n', opening) == text_.npos ? truncated_record : "has a quote without a closing quote";
    }
    ++at_;
    return peek() == ',' || at_line_end() ? "" : "has text after a field's closing quote";
  }

  std::string_view text_;
  size_t at_;
};

}  // namespace

void each_csv_row(std::string_view text, const std::function<void(const CsvRow&)>& f) {
  CsvReader reader(text);
  for (int64_t number = 1; !reader.done();) {
    CsvRow row = reader.next(number);
    row.unended = reader.done() && !text.ends_with('\n');
    if (row.fields.empty() && row.problem.empty()) continue;
    f(row);
    ++number;
  }
}

}  // namespace compeer::corpora
