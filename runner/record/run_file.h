#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// `run.h5`, the log of a run, in HDF5: one row of numbers (metrics) per step with a fixed list of columns, events as
/// text, and the run's spec (all its settings, the text of spec.json). One process (rank 0) writes it. Any process can
/// read it at any time: while it is written, after a `kill -9`, and when it is finished.
///
/// A row or event is committed once a counter in the file, written last, includes it; other data is ignored. The schema
/// is in README.md, the reasons for the HDF5 modes in docs/storage.md.
namespace compeer::record {

/// Beginning of the text of the event that a run records if it ends before its last step.
constexpr std::string_view early_end = "ended after step ";

/// An event of a run, such as "checkpoint written" or "resumed at step 40".
struct Event {
  double step = 0;    ///< step of the run at the time of the event
  double time = 0;    ///< seconds since 1970
  std::string level;  ///< "info", "warning" or "error"
  std::string text;
};

/// Writer of run.h5. Holds an advisory lock on the file, so that there is one writer. Not thread-safe. A failed write
/// throws Error (exit code 1: a system failure, such as a full disk); after it, or after finish(), all writing
/// functions throw Error (exit code 4: invalid data). Committed rows stay. If the writer is destroyed without finish(),
/// the file is as after a crash: complete rows, status "running".
class RunWriter {
 public:
  /// Creates the file; replaces an existing one. `spec_json_text`: text of spec.json. Column names are UTF-8, distinct,
  /// and may have parts: "rewards/length/score" (then no column may be called "rewards"). Throws Error (exit code 4)
  /// for invalid names, and if another process is writing the file.
  static RunWriter create(const std::filesystem::path& file, const std::string& spec_json_text,
                          std::vector<std::string> columns);

  /// Continues a file after its first `rows` rows, however its writer ended. Later rows are dropped, events are kept.
  /// `spec_json_text` replaces the text of spec.json unless it is empty. If the process is killed in this call, the old
  /// file is unchanged. Throws Error (exit code 4) if the file has other columns or fewer rows, or if another process
  /// is writing it.
  static RunWriter resume(const std::filesystem::path& file, uint64_t rows, std::vector<std::string> columns,
                          const std::string& spec_json_text = "");

  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;
  ~RunWriter();

  /// Writes and commits one row: a value per column, in the order of columns(); NaN: not logged. When it returns, the
  /// row survives `kill -9`. Throws Error (exit code 1) for a wrong number of values.
  void append(std::span<const double> row);
  /// Writes and commits an event at the current time. `step`, `level`: those of Event. When it returns, after some
  /// milliseconds, the event survives a power failure.
  void event(double step, std::string_view level, std::string_view text);

  /// Flushes everything to disk, so that it survives a power failure. Takes some milliseconds.
  void sync();

  /// Writes the final status ("finished", "failed", "preempted"; at most 15 bytes), flushes to disk and closes the
  /// file.
  void finish(std::string_view status);

  uint64_t rows() const;  ///< number of committed rows
  const std::vector<std::string>& columns() const;

 private:
  struct File;  ///< the open file: path, lock, datasets, numbers of rows and events
  explicit RunWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

/// Reader of run.h5: a snapshot of the rows and events that were committed when it was constructed. Functions throw
/// Error (exit code 4) if the file is damaged or not a run file.
class RunReader {
 public:
  /// Opens the file. Reads at most the first `most_rows` rows.
  explicit RunReader(const std::filesystem::path& file, uint64_t most_rows = UINT64_MAX);
  RunReader(RunReader&&) noexcept;
  RunReader& operator=(RunReader&&) noexcept;
  ~RunReader();

  const std::vector<std::string>& columns() const;
  uint64_t rows() const;                    ///< number of committed rows, at most `most_rows`
  bool has(const std::string& name) const;  ///< true if there is a column of this name
  /// Returns the values of a column, [row]; NaN: not logged. Throws Error (exit code 4), with a similar name as help,
  /// if there is no such column.
  std::vector<double> column(const std::string& name) const;
  std::vector<double> times() const;  ///< [row]: time of writing, in seconds since 1970
  /// Returns the 0-based indices of rows that do not match their checksum, for example because a disk failed.
  std::vector<uint64_t> damaged_rows() const;
  std::vector<uint64_t> checksums() const;  ///< [row]: stored CRC-32C of the row's values
  std::string spec_text() const;            ///< text of spec.json
  std::vector<Event> events() const;
  std::string status() const;    ///< final status given to RunWriter::finish; "running" before that, also after a crash
  bool live() const;             ///< true if a process on this machine is writing the file
  std::string software() const;  ///< program that created the file: "compeer 0.1.0"

 private:
  struct File;  ///< the open file, its columns, and the numbers of rows and events when it was opened
  std::unique_ptr<File> file_;
};

}  // namespace compeer::record
