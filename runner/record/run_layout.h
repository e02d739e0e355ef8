#pragma once
#include <span>
#include <string>
#include <vector>

#include "record/ragged.h"
#include "record/run_file.h"

/// The datasets of run.h5 (README.md), for its writer and its reader.
namespace compeer::record {

inline constexpr const char* run_format = "compeer-run 1";
inline constexpr size_t status_bytes = 16;

/// "info", "warning" and "error" are stored as 0, 1 and 2; anything else counts as an error.
const char* level_name(uint8_t code);

/// Of one row's values, in the order of the columns.
uint64_t row_checksum(std::span<const double> row);

struct RunLayout {
  std::vector<hdf::Array> rows;  ///< one for each column
  hdf::Array time, checksum, committed, status;
  hdf::Array event_step, event_time, event_level, events_committed;
  hdf::RaggedText event_text;

  /// Makes all datasets, for no more can be made once the file is being appended to.
  static RunLayout create(const hdf::OpenFile& place, const std::vector<std::string>& columns, const std::string& spec);
  static RunLayout open(const hdf::OpenFile& place, const std::vector<std::string>& columns);

  /// The first `count` rows and all events of another file.
  void copy(const RunReader& from, const std::vector<std::string>& columns, uint64_t count);
  void add_event(uint64_t index, const Event& event);
  void write_status(std::string_view text);
  void cut(uint64_t count, uint64_t events);  ///< takes off what lies behind these rows and events
};

}  // namespace compeer::record
