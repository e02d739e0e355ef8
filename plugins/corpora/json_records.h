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

/// The bytes of one record, where they are in their file, and the why if they can't be a record.
struct Raw {
  int64_t number = 0;   ///< from 1: the element of the list, the line
  uint64_t offset = 0;  ///< of its first byte in the file
  std::string_view bytes;
  std::string problem;  ///< "": none that can be seen from outside
};

/// The records of a file that holds a JSON list, or JSON lines: told apart by the first character. The file is read in
/// blocks and only one record is in memory. A record that is broken does not take the next with it: a list's elements
/// are told apart by their brackets, no text goes on over the end of a line, and where a bracket or quote is missing,
/// the next element is known by its first key, which is the first element's.
/// A file that ends within a record or a list, or holds nothing, has one last record with a `problem`.
/// Throws Error (exit 4) naming the file if it can't be read.
void each_json_record(const std::filesystem::path& file, const std::function<void(const Raw&)>& f);

/// What is said of a record in which the file ends.
extern const char* const not_whole;

/// Whether a problem says that the file was cut off: nobody knows what else it held.
bool cut_off(const std::string& problem);

/// Calls f(record, raw) for each JSON record of a file (json_records.h). A record that can't be parsed, or for which
/// `f` throws Refusal, is added to `left_out`.
void read_records(const std::filesystem::path& file, std::vector<Unreadable>& left_out,
                  const std::function<void(json record, const Raw& raw)>& f);

/// Throws Error (exit 4) that names the first few records if more than the share `allowed` were left out, or all;
/// if all were, with `if_all` as help. A file that is cut off is refused unless `allowed` is 1.
/// `read`: the number of records that were read.
void refuse_too_many(const std::vector<Unreadable>& left_out, size_t read, const std::string& path, double allowed,
                     const std::string& if_all);

}  // namespace compeer::corpora
