#include "record/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "record/hdf.h"
#include "record/lock.h"
#include "record/run_layout.h"

namespace compeer::record {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// Every name becomes the dataset /rows/<name>, so no name may be a folder of another.
void check_columns(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  auto refuse = [&](const std::string& what) { throw Error(file.string(), what, "", Exit::data); };
  if (columns.empty()) refuse("a run file needs at least one column");
  const std::set<std::string> known(columns.begin(), columns.end());
  if (known.size() != columns.size()) {
    for (const auto& name : known)
      if (std::count(columns.begin(), columns.end(), name) > 1) refuse("two columns are called '" + name + "'");
  }
  for (const auto& name : columns) {
    const std::string framed = "/" + name + "/";
    for (const char* part : {"//", "/./", "/../"})
      if (framed.find(part) != std::string::npos) refuse("'" + name + "' is no name for a column");
    if (name.find('\0') != std::string::npos) refuse("'" + name + "' is no name for a column");
    for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
      if (known.count(name.substr(0, slash)))
        refuse(fmt::format("column '{}' can't stand beside column '{}'", name.substr(0, slash), name));
  }
}

// Makes the file under another name, complete, with the rows it shall begin with, and puts it in place at once.
template <class Fill>
WriterLock replace(const std::filesystem::path& file, Fill fill) {
  auto part = file;
  part += ".part";
  std::optional<WriterLock> old;
  if (std::filesystem::exists(file)) old.emplace(file);
  {
    hdf::OpenFile place = hdf::create(part);
    fill(place);
    place.close();
  }
  sync_file(part);
  WriterLock lock(part);
  std::filesystem::rename(part, file);
  sync_folder(file.has_parent_path() ? file.parent_path() : ".");
  return lock;
}

}  // namespace

// Declared in the order in which they open; the file closes after its datasets, the lock goes last.
struct RunWriter::File {
  std::filesystem::path path;
  std::vector<std::string> columns;
  WriterLock lock;
  hdf::OpenFile place;
  RunLayout layout;
  uint64_t rows = 0, events = 0;
  bool broken = false;

  void open() {
    place = hdf::open_for_appending(path);
    layout = RunLayout::open(place, columns);
    rows = layout.committed.read<uint64_t>(0, 1)[0];
    events = layout.events_committed.read<uint64_t>(0, 1)[0];
    layout.event_text.go_to(events);
  }

  void close() {
    layout = {};
    place.close();
    lock = {};
    broken = true;
  }

  // After a write that failed HDF5 holds data it can't get rid of: nothing more can be trusted to reach the file.
  template <class Write>
  void guarded(Write write) {
    if (broken) throw Error(path.string(), "takes no more rows: it was finished, or a write failed", "", Exit::data);
    broken = true;
    write();
    broken = false;
  }
};

RunWriter::RunWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;
RunWriter::~RunWriter() = default;

uint64_t RunWriter::rows() const { return file_->rows; }
const std::vector<std::string>& RunWriter::columns() const { return file_->columns; }

RunWriter RunWriter::create(const std::filesystem::path& path, const std::string& spec_json_text,
                            std::vector<std::string> columns) {
  check_columns(path, columns);
  auto file = std::make_unique<File>();
  file->path = path;
  file->columns = std::move(columns);
  file->lock =
      replace(path, [&](const hdf::OpenFile& place) { RunLayout::create(place, file->columns, spec_json_text); });
  file->open();
  return RunWriter(std::move(file));
}

RunWriter RunWriter::resume(const std::filesystem::path& path, uint64_t rows, std::vector<std::string> columns,
                            const std::string& spec_json_text) {
  const RunReader old(path, rows);
  if (old.columns() != columns)
    throw Error(path.string(), "has other columns than this run",
                "was the program changed? --fresh starts over and renames the existing folder", Exit::data);
  if (old.rows() < rows)
    throw Error(path.string(), fmt::format("has {} rows, but the run goes on after row {}", old.rows(), rows), "",
                Exit::data);
  auto file = std::make_unique<File>();
  file->path = path;
  file->columns = std::move(columns);
  file->lock = replace(path, [&](const hdf::OpenFile& place) {
    RunLayout made = RunLayout::create(place, file->columns, spec_json_text.empty() ? old.spec_text() : spec_json_text);
    made.copy(old, file->columns, rows);
  });
  file->open();
  return RunWriter(std::move(file));
}

void RunWriter::append(std::span<const double> row) {
  File& file = *file_;
  if (row.size() != file.columns.size())
    throw Error(file.path.string(), fmt::format("a row has {} values for {} columns", row.size(), file.columns.size()),
                "", Exit::failure);
  file.guarded([&] {
    const double time = now();
    const uint64_t checksum = row_checksum(row);
    for (size_t i = 0; i < row.size(); ++i) file.layout.rows[i].write<double>(file.rows, row.subspan(i, 1));
    file.layout.time.write<double>(file.rows, {&time, 1});
    file.layout.checksum.write<uint64_t>(file.rows, {&checksum, 1});
    for (auto& column : file.layout.rows) column.flush();
    file.layout.time.flush();
    file.layout.checksum.flush();
    const uint64_t committed = file.rows + 1;
    file.layout.committed.write<uint64_t>(0, {&committed, 1});
    file.layout.committed.flush();
    file.rows = committed;
  });
}

void RunWriter::event(double step, std::string_view level, std::string_view text) {
  File& file = *file_;
  file.guarded([&] {
    file.layout.add_event(file.events, {step, now(), std::string(level), std::string(text)});
    // Events have no checksums. So the disk never has a number of events that counts one it does not hold.
    hdf::sync(file.place);
    const uint64_t committed = file.events + 1;
    file.layout.events_committed.write<uint64_t>(0, {&committed, 1});
    file.layout.events_committed.flush();
    file.events = committed;
  });
}

void RunWriter::sync() {
  file_->guarded([&] { hdf::sync(file_->place); });
}

void RunWriter::finish(std::string_view status) {
  File& file = *file_;
  file.guarded([&] {
    file.layout.cut(file.rows, file.events);
    file.layout.write_status(status);
    hdf::sync(file.place);
  });
  file.close();
}

}  // namespace compeer::record
