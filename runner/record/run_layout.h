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

/// Name of a stored event level: 0 "info", 1 "warning", 2 or more "error".
const char* level_name(uint8_t code);

/// CRC-32C of a row's values, in the order of the columns.
uint64_t row_checksum(std::span<const double> row);

/// The open datasets of a run.h5.
struct RunLayout {
  std::vector<hdf::Array> rows;  ///< one dataset per column
  hdf::Array time, checksum, committed, status;
  hdf::Array event_step, event_time, event_level, events_committed;
  hdf::RaggedText event_text;

  /// Creates all datasets: none can be created after the file is opened for appending. `spec`: text of spec.json.
  static RunLayout create(const hdf::OpenFile& place, const std::vector<std::string>& columns, const std::string& spec);
  static RunLayout open(const hdf::OpenFile& place, const std::vector<std::string>& columns);

  /// Copies the first `count` rows and all events of another file into this new one.
  void copy(const RunReader& from, const std::vector<std::string>& columns, uint64_t count);
  void add_event(uint64_t index, const Event& event);  ///< writes event number `index`; does not commit it
  void write_status(std::string_view text);            ///< truncates the text to 15 bytes
  void truncate(uint64_t count, uint64_t events);      ///< truncates the datasets to these numbers of rows and events
};

}  // namespace compeer::record
