#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Parser of tables with comma separated values (CSV), for corpora of dialogues that are published in this format.

namespace compeer::corpora {

/// A row of a table, or the reason why it is malformed.
struct CsvRow {
  int64_t number = 0;               ///< from 1; counts the heading but not blank lines
  std::vector<std::string> fields;  ///< the fields, without quotes
  std::string problem;              ///< why the row is malformed; empty if it is not
  bool unended = false;             ///< true if the file ends with this row, without a line end
};

/// Calls `f` for each row of `text`, comma separated values as in RFC 4180. Quoted fields may contain commas, line ends
/// and doubled quotes. Lines end in CRLF or LF, the last one may have no line end; blank lines are ignored. A row is
/// malformed if it has a quote within an unquoted field, text other than a comma after a closing quote, an unclosed
/// quote, or bytes that are not UTF-8. After a malformed row, reading resumes at the next line.
void each_csv_row(std::string_view text, const std::function<void(const CsvRow&)>& f);

}  // namespace compeer::corpora
