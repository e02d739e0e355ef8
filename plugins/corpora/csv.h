#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::corpora {

/// A row of a table, or the reason why it is malformed.
struct CsvRow {
  int64_t number = 0;  ///< 1-based, counting the heading but not blank lines
  std::vector<std::string> fields;
  std::string problem;   ///< why the row is malformed; empty if it is not
  bool unended = false;  ///< the file ends with this row, without a line end
};

/// Calls `f` for each row of comma separated values (RFC 4180). Quoted fields may contain commas, line ends and doubled
/// quotes. Lines end in CRLF or LF, the last one may have no line end; blank lines are ignored. A row is malformed if
/// it has a quote within an unquoted field, text other than a comma after a closing quote, an unclosed quote, or bytes
/// that are not UTF-8. After a malformed row, reading resumes at the next line.
void each_csv_row(std::string_view text, const std::function<void(const CsvRow&)>& f);

}  // namespace compeer::corpora
