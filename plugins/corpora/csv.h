#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::corpora {

/// A row of a table, or why it is none.
struct CsvRow {
  int64_t number = 0;  ///< from 1, the heading included
  std::vector<std::string> fields;
  std::string problem;   ///< "": none
  bool unended = false;  ///< the file ends with it, without a line's end
};

/// Comma separated values by RFC 4180: fields in quotes may hold commas, line ends and doubled quotes; lines end in
/// CRLF or LF, the last one maybe in neither; blank lines are no rows. Refused are a quote within a field that does
/// not begin with one, anything but a comma behind a closing quote, an end of the file within quotes, and bytes
/// that are no UTF-8. What follows a refused row is read from the next line on.
void each_csv_row(std::string_view text, const std::function<void(const CsvRow&)>& f);

}  // namespace compeer::corpora
