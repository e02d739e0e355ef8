#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// `run.h5`, the log of a run: one row of numbers per step, a few events in words, and the spec it ran.
/// Written by one process (rank 0), readable by anybody at any time: while it grows, after a `kill -9`, when finished.
/// Only rows that a write of `committed` has sealed exist; everything past them is ignored. The schema is in
/// README.md, the reasons for the HDF5 modes used here in docs/storage.md.
namespace compeer::record {

/// Something that happened, in words: "checkpoint written", "resumed at step 40".
struct Event {
  double step = 0;    ///< the step it belongs to
  double time = 0;    ///< seconds since 1970
  std::string level;  ///< "info", "warning" or "error"
  std::string text;
};

/// Not thread-safe. After an error in append() or event() the writer refuses further use; what was committed stays.
/// Destroyed without finish(), it leaves the file as a crash would: whole rows, status "running".
class RunWriter {
 public:
  /// A new file, replacing one that is there. `spec_json_text` is the whole text of spec.json. Names of columns are
  /// UTF-8, distinct, and may have parts: "rewards/length/score" (then no column may be called "rewards").
  static RunWriter create(const std::filesystem::path& file, const std::string& spec_json_text,
                          std::vector<std::string> columns);

  /// Goes on with a file whose writer ended in any way, after its first `rows` rows; later ones are dropped, events
  /// are kept. The columns must be those of the file, in the same order, and the file must have at least `rows` rows.
  /// `spec_json_text` replaces the text of spec.json; empty: it stays. Killed in here, the old file is still there,
  /// whole. Throws Error (exit 4) also if the old writer is still alive.
  static RunWriter resume(const std::filesystem::path& file, uint64_t rows, std::vector<std::string> columns,
                          const std::string& spec_json_text = "");

  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;
  ~RunWriter();

  /// One step: a value for each column, in order; NaN = not logged. When it returns, the row survives `kill -9`.
  void append(std::span<const double> row);
  /// When it returns, the event survives a power failure (some milliseconds).
  void event(double step, std::string_view level, std::string_view text);

  /// Makes everything written so far survive a power failure (some milliseconds).
  void sync();

  /// Writes the last status ("finished", "failed", "preempted"; at most 15 bytes) and closes.
  void finish(std::string_view status);

  uint64_t rows() const;
  const std::vector<std::string>& columns() const;

 private:
  struct File;
  explicit RunWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

/// Sees the file as it was when it was opened; open it again to see more. Throws Error (exit 4) naming the file.
class RunReader {
 public:
  /// `most_rows`: later rows count as not committed, and are not read.
  explicit RunReader(const std::filesystem::path& file, uint64_t most_rows = UINT64_MAX);
  RunReader(RunReader&&) noexcept;
  RunReader& operator=(RunReader&&) noexcept;
  ~RunReader();

  const std::vector<std::string>& columns() const;
  uint64_t rows() const;  ///< committed ones
  bool has(const std::string& name) const;
  /// All committed values of a column. An unknown name is an Error that suggests the nearest.
  std::vector<double> column(const std::string& name) const;
  std::vector<double> times() const;  ///< when each row was committed, in seconds since 1970
  /// Rows whose values aren't those that were written, as of a failing disk: counted from 0, usually none.
  std::vector<uint64_t> damaged_rows() const;
  std::vector<uint64_t> checksums() const;  ///< of each row, as written with it
  std::string spec_text() const;
  std::vector<Event> events() const;
  std::string status() const;    ///< "running" until finish(), also after a crash; then what finish() was told
  bool live() const;             ///< a process on this machine has it open for writing
  std::string software() const;  ///< "compeer 0.1.0"

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace compeer::record
