#include <algorithm>
#include <array>

#include "base/error.h"
#include "record/hdf.h"
#include "record/lock.h"
#include "record/run_file.h"
#include "record/run_layout.h"

namespace compeer::record {

struct RunReader::File {
  hdf::OpenFile place;
  std::vector<std::string> columns;
  uint64_t rows = 0, events = 0;
};

RunReader::RunReader(const std::filesystem::path& file, uint64_t most_rows) : file_(std::make_unique<File>()) {
  auto& place = file_->place = hdf::open_for_reading(file);
  if (const auto format = place.text_attribute("format"); format != run_format) {
    throw Error(file.string(), format.empty() ? "is not a run file" : "has the format '" + format + "'",
                std::string("this program reads '") + run_format + "'", Exit::data);
  }
  // The numbers of rows and events first: whatever is opened after them reaches at least so far.
  file_->rows = std::min(hdf::Array::open(place, "committed").first(), most_rows);
  file_->events = hdf::Array::open(place, "events/committed").first();
  const auto ends = hdf::Array::open(place, "columns/ends");
  for (const auto& name : hdf::RaggedText::open(place, "columns", "bytes").read(0, ends.size()))
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
    throw Error(file_->place.file.string(), "has no column '" + name + "'", suggest(name, file_->columns), Exit::data);
  return hdf::Array::open(file_->place, "rows/" + name).read<double>(0, file_->rows);
}

std::vector<double> RunReader::times() const {
  return hdf::Array::open(file_->place, "time").read<double>(0, file_->rows);
}

std::vector<uint64_t> RunReader::checksums() const {
  return hdf::Array::open(file_->place, "checksum").read<uint64_t>(0, file_->rows);
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
  const auto array = hdf::Array::open(file_->place, "spec");
  const auto bytes = array.read<char>(0, array.size());
  return {bytes.begin(), bytes.end()};
}

std::vector<Event> RunReader::events() const {
  const auto& place = file_->place;
  const auto n = file_->events;
  const auto steps = hdf::Array::open(place, "events/step").read<double>(0, n);
  const auto times = hdf::Array::open(place, "events/time").read<double>(0, n);
  const auto codes = hdf::Array::open(place, "events/level").read<uint8_t>(0, n);
  const auto texts = hdf::RaggedText::open(place, "events/text", "bytes").read(0, n);
  std::vector<Event> events;
  for (uint64_t i = 0; i < n; ++i)
    events.push_back({steps[i], times[i], level_name(codes[i]), std::string(texts[i].begin(), texts[i].end())});
  return events;
}

std::string RunReader::status() const {
  const auto array = hdf::Array::open(file_->place, "status");
  const auto bytes = array.read<char>(0, array.size());
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), '\0')};
}

bool RunReader::live() const { return being_written(file_->place.file); }
std::string RunReader::software() const { return file_->place.text_attribute("software"); }

}  // namespace compeer::record
