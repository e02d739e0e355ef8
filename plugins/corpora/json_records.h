#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compeer/dataset.h"
#include "corpora/fields.h"

namespace compeer::corpora {

/// One record of a file as bytes, or the reason why there is none.
struct RawRecord {
  int64_t number = 0;      ///< 1-based list index or line number
  uint64_t offset = 0;     ///< byte offset of the record in the file
  std::string_view bytes;  ///< valid only during the callback
  std::string problem;     ///< why this is not a record; empty if it looks well-formed (it has not been parsed)
};

/// Calls `f` for each record of a JSON list or JSON Lines file (detected by the first character). Streams the file and
/// holds one record in memory. A malformed record does not affect the next one: lines end at line ends; list elements
/// are found by matching brackets, strings do not continue past a line end, and if a bracket or quote is missing, the
/// next element is found by its first key, which must be that of the first element. If the file is empty or ends within
/// a record or the list, the last call has a `problem`. Throws Error (exit 4) that names the file if it can't be read.
void each_json_record(const std::filesystem::path& file, const std::function<void(const RawRecord&)>& f);

/// The `problem` of a record that is truncated by the end of the file.
extern const char* const truncated_record;

/// Returns true if `problem` means that the file is truncated, within a record or within the list.
bool is_truncation(const std::string& problem);

/// Calls f(record, raw) for each record of a file, parsed. Adds a record to `left_out` if it can't be parsed or `f`
/// throws Refusal.
void read_records(const std::filesystem::path& file, std::vector<Unreadable>& left_out,
                  const std::function<void(json record, const RawRecord& raw)>& f);

/// Throws Error (exit 4) that quotes the first few reasons if more than the fraction `allowed` of the records was left
/// out, or all of them (`if_all` is then the help text). Also throws if a file is truncated and `allowed` < 1. `read`:
/// number of records that were not left out.
void check_unreadable(const std::vector<Unreadable>& left_out, size_t read, const std::string& path, double allowed,
                      const std::string& if_all);

}  // namespace compeer::corpora
