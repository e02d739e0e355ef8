#pragma once
#include <span>
#include <string>
#include <vector>

#include "record/ragged.h"
#include "record/run_file.h"

/// The HDF5 datasets of run.h5, the log of a run, for RunWriter and RunReader: a row of numbers per step with one
/// dataset per column, and events (texts with a level). Rows and events are valid once the datasets `committed` count
/// them; these are written last. README.md has the schema.
namespace compeer::record {

inline constexpr const char* run_format = "compeer-run 1";  ///< attribute `format` of the file: kind and version
inline constexpr size_t status_bytes = 16;                  ///< size of the dataset `status`, zero-padded text

/// Returns the name of a level in the dataset `events/level`: 0 "info", 1 "warning", 2 or more "error".
const char* level_name(uint8_t code);

/// Returns the CRC-32C of a row's values, in the order of the columns, as stored in the dataset `checksum`.
uint64_t row_checksum(std::span<const double> row);

/// The open datasets of a run.h5. Elements are [row] or [event], except where noted.
struct RunLayout {
  std::vector<hdf::Array> rows;  ///< one dataset per column, in the order of the columns
  hdf::Array time;               ///< time of writing of each row, in seconds since 1970
  hdf::Array checksum;           ///< row_checksum() of each row
  hdf::Array committed;          ///< [1]: number of valid rows
  hdf::Array status;             ///< [status_bytes]: "running", or the final status of the run
  hdf::Array event_step;         ///< step of the run at the time of each event
  hdf::Array event_time;         ///< time of each event, in seconds since 1970
  hdf::Array event_level;        ///< code of each event's level (level_name)
  hdf::Array events_committed;   ///< [1]: number of valid events
  hdf::RaggedText event_text;

  /// Creates all datasets: none can be created after the file is opened for appending. The file has no rows, no events
  /// and the status "running". `spec`: text of spec.json, which is stored in the file.
  static RunLayout create(const hdf::OpenFile& h5, const std::vector<std::string>& columns, const std::string& spec);
  /// Opens all datasets of a file with these columns. Throws Error (exit code 4: invalid data) if one is missing.
  static RunLayout open(const hdf::OpenFile& h5, const std::vector<std::string>& columns);

  /// Copies the first `count` rows and all events of another file into this new one, and commits them.
  void copy(const RunReader& from, const std::vector<std::string>& columns, uint64_t count);
  void add_event(uint64_t index, const Event& event);  ///< writes the event with this 0-based index; does not commit it
  void write_status(std::string_view text);            ///< truncates the text to 15 bytes
  void truncate(uint64_t count, uint64_t events);      ///< truncates the datasets to these numbers of rows and events
};

}  // namespace compeer::record
