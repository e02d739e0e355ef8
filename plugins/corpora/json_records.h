#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compeer/dataset.h"
#include "corpora/fields.h"

// Splits the JSON files of a corpus, a published collection of dialogues, into records, and reports records that can't
// be read. A record is an element of a JSON list or a line of a JSON Lines file, usually one dialogue. A data set
// leaves out unreadable records; too many of them are an error.

namespace compeer::corpora {

/// One record of a file as unparsed bytes, or the reason why it is none.
struct RawRecord {
  int64_t number = 0;      ///< from 1: position in the list, or line number
  uint64_t offset = 0;     ///< byte offset of the record in the file
  std::string_view bytes;  ///< the record's text; valid only during the callback
  std::string problem;     ///< why it is not a record; empty if it seems well-formed (it has not been parsed)
};

/// Calls `f` for each record of a JSON list or JSON Lines file (detected by the first character). Streams the file and
/// holds one record in memory. A malformed record does not affect the next one: lines end at line ends; list elements
/// are found by matching brackets, strings do not continue past a line end, and if a bracket or quote is missing, the
/// next element is found by its first key, which must be that of the first element. If the file is empty or ends within
/// a record or the list, the last call has a `problem`. Throws Error (exit code 4: invalid
/// data) that names the file if it can't be read.
void each_json_record(const std::filesystem::path& file, const std::function<void(const RawRecord&)>& f);

/// The `problem` of a record that is truncated by the end of the file.
extern const char* const truncated_record;

/// True if `problem`, as in RawRecord, means that the file is truncated, within a record or within the list.
bool is_truncation(const std::string& problem);

/// Calls f(record, raw) for each record of a file: the parsed JSON and the bytes. Adds a record to `left_out`, with the
/// reason, if it can't be parsed or `f` throws Refusal.
void read_records(const std::filesystem::path& file, std::vector<Unreadable>& left_out,
                  const std::function<void(json record, const RawRecord& raw)>& f);

/// Checks that a corpus has not too many unreadable records. Throws Error (exit code 4) that quotes the first few
/// reasons if their fraction exceeds `allowed`, or if all records are unreadable. Also throws if a file is truncated
/// and `allowed` < 1.
///
/// `left_out`: the unreadable records; `read`: number of the others; `path`: the corpus, for messages; `if_all`: the
/// suggested remedy if all records are unreadable.
void check_unreadable(const std::vector<Unreadable>& left_out, size_t read, const std::string& path, double allowed,
                      const std::string& if_all);

}  // namespace compeer::corpora
