// Writer and reader of run.h5.
#include "record/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// Every name becomes the dataset /rows/<name>, so no name may be a path prefix of another.
void check_columns(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  auto refuse = [&](const std::string& what) { throw Error(file.string(), what, "", Exit::data); };
  if (columns.empty()) refuse("a run file needs at least one column");
  const std::set<std::string> known(columns.begin(), columns.end());
  if (known.size() != columns.size()) {
    for (const auto& name : known)
      if (std::count(columns.begin(), columns.end(), name) > 1) refuse("duplicate column '" + name + "'");
  }
  for (const auto& name : columns) {
    const std::string framed = "/" + name + "/";
    for (const char* part : {"//", "/./", "/../"})
      if (framed.find(part) != std::string::npos) refuse("'" + name + "' is not a valid column name");
    if (name.find('\0') != std::string::npos) refuse("'" + name + "' is not a valid column name");
    for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
      if (known.count(name.substr(0, slash)))
        refuse(
            fmt::format("column '{}' is a prefix of column '{}', which is not allowed", name.substr(0, slash), name));
  }
}

// Creates the file under another name, with its initial contents by `fill`, and renames it. Returns its lock.
template <class Fill>
WriterLock replace(const std::filesystem::path& file, Fill fill) {
  auto part = file;
  part += ".part";
  std::optional<WriterLock> old;
  if (std::filesystem::exists(file)) old.emplace(file);
  {
    hdf::OpenFile h5 = hdf::create(part);
    fill(h5);
    h5.close();
  }
  sync_file(part);
  WriterLock lock(part);
  std::filesystem::rename(part, file);
  sync_folder(file.has_parent_path() ? file.parent_path() : ".");
  return lock;
}

}  // namespace

// Members are declared in the order in which they are opened: the file closes after its datasets, and the lock last.
struct RunWriter::File {
  std::filesystem::path path;
  std::vector<std::string> columns;
  WriterLock lock;
  hdf::OpenFile h5;
  RunLayout layout;
  uint64_t rows = 0, events = 0;
  bool broken = false;

  void open() {
    h5 = hdf::open_for_appending(path);
    layout = RunLayout::open(h5, columns);
    rows = layout.committed.read<uint64_t>(0, 1)[0];
    events = layout.events_committed.read<uint64_t>(0, 1)[0];
    layout.event_text.resume_at(events);
  }

  void close() {
    layout = {};
    h5.close();
    lock = {};
    broken = true;
  }

  // Runs a write. After a failed write HDF5 holds data that it can't write, so all further writes are refused.
  template <class Write>
  void guarded(Write write) {
    if (broken) throw Error(path.string(), "accepts no more rows: it was closed, or a write failed", "", Exit::data);
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
  file->lock = replace(path, [&](const hdf::OpenFile& h5) { RunLayout::create(h5, file->columns, spec_json_text); });
  file->open();
  return RunWriter(std::move(file));
}

RunWriter RunWriter::resume(const std::filesystem::path& path, uint64_t rows, std::vector<std::string> columns,
                            const std::string& spec_json_text) {
  const RunReader old(path, rows);
  if (old.columns() != columns)
    throw Error(path.string(), "has different columns from this run",
                "use the version of compeer that began the run, or start over: --fresh renames the existing folder",
                Exit::data);
  if (old.rows() < rows)
    throw Error(path.string(), fmt::format("has {} rows, but the run continues after row {}", old.rows(), rows), "",
                Exit::data);
  auto file = std::make_unique<File>();
  file->path = path;
  file->columns = std::move(columns);
  file->lock = replace(path, [&](const hdf::OpenFile& h5) {
    RunLayout made = RunLayout::create(h5, file->columns, spec_json_text.empty() ? old.spec_text() : spec_json_text);
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
    // Events have no checksums, so the data must be on disk before the number of events includes it.
    hdf::sync(file.h5);
    const uint64_t committed = file.events + 1;
    file.layout.events_committed.write<uint64_t>(0, {&committed, 1});
    file.layout.events_committed.flush();
    file.events = committed;
  });
}

void RunWriter::sync() {
  file_->guarded([&] { hdf::sync(file_->h5); });
}

void RunWriter::finish(std::string_view status) {
  File& file = *file_;
  file.guarded([&] {
    file.layout.truncate(file.rows, file.events);
    file.layout.write_status(status);
    hdf::sync(file.h5);
  });
  file.close();
}

struct RunReader::File {
  hdf::OpenFile h5;
  std::vector<std::string> columns;
  uint64_t rows = 0, events = 0;
};

RunReader::RunReader(const std::filesystem::path& file, uint64_t most_rows) : file_(std::make_unique<File>()) {
  auto& h5 = file_->h5 = hdf::open_for_reading(file);
  if (const auto format = h5.text_attribute("format"); format != run_format) {
    throw Error(file.string(), format.empty() ? "is not a run file" : "has the format '" + format + "'",
                std::string("this program reads '") + run_format + "'", Exit::data);
  }
  // Numbers of rows and events first: datasets that are opened later have at least as many elements.
  file_->rows = std::min(hdf::Array::open(h5, "committed").first_element(), most_rows);
  file_->events = hdf::Array::open(h5, "events/committed").first_element();
  const auto ends = hdf::Array::open(h5, "columns/ends");
  for (const auto& name : hdf::RaggedText::open(h5, "columns", "bytes").read(0, ends.size()))
    file_->columns.emplace_back(name.begin(), name.end());
}

RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

const std::vector<std::string>& RunReader::columns() const { return file_->columns; }
uint64_t RunReader::rows() const { return file_->rows; }

bool RunReader::has(const std::string& name) const {
  return std::find(file_->columns.begin(), file_->columns.end(), name) != file_->columns.end();
}

std::vector<double> RunReader::column(const std::string& name) const {
  if (!has(name))
    throw Error(file_->h5.file.string(), "has no column '" + name + "'", suggest(name, file_->columns), Exit::data);
  return hdf::Array::open(file_->h5, "rows/" + name).read<double>(0, file_->rows);
}

std::vector<double> RunReader::times() const {
  return hdf::Array::open(file_->h5, "time").read<double>(0, file_->rows);
}

std::vector<uint64_t> RunReader::checksums() const {
  return hdf::Array::open(file_->h5, "checksum").read<uint64_t>(0, file_->rows);
}

std::vector<uint64_t> RunReader::damaged_rows() const {
  std::vector<std::vector<double>> values;
  for (const auto& name : columns()) values.push_back(column(name));
  const auto expected = checksums();
  std::vector<uint64_t> damaged;
  std::vector<double> row(values.size());
  for (uint64_t r = 0; r < rows(); ++r) {
    for (size_t i = 0; i < row.size(); ++i) row[i] = values[i][r];
    if (row_checksum(row) != expected[r]) damaged.push_back(r);
  }
  return damaged;
}

std::string RunReader::spec_text() const {
  const auto array = hdf::Array::open(file_->h5, "spec");
  const auto bytes = array.read<char>(0, array.size());
  return {bytes.begin(), bytes.end()};
}

std::vector<Event> RunReader::events() const {
  const auto& h5 = file_->h5;
  const auto n = file_->events;
  const auto steps = hdf::Array::open(h5, "events/step").read<double>(0, n);
  const auto times = hdf::Array::open(h5, "events/time").read<double>(0, n);
  const auto codes = hdf::Array::open(h5, "events/level").read<uint8_t>(0, n);
  const auto texts = hdf::RaggedText::open(h5, "events/text", "bytes").read(0, n);
  std::vector<Event> events;
  for (uint64_t i = 0; i < n; ++i)
    events.push_back({steps[i], times[i], level_name(codes[i]), std::string(texts[i].begin(), texts[i].end())});
  return events;
}

std::string RunReader::status() const {
  const auto array = hdf::Array::open(file_->h5, "status");
  const auto bytes = array.read<char>(0, array.size());
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), '\0')};
}

bool RunReader::live() const { return is_locked(file_->h5.file); }
std::string RunReader::software() const { return file_->h5.text_attribute("software"); }

}  // namespace compeer::record
