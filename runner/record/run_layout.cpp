// Creates, opens and copies the datasets of run.h5.
#include "record/run_layout.h"

#include <algorithm>
#include <array>

#include "record/crc32c.h"

namespace compeer::record {

namespace {

constexpr std::array<const char*, 3> levels = {"info", "warning", "error"};

uint8_t level_code(const std::string& level) {
  return static_cast<uint8_t>(std::find(levels.begin(), levels.end() - 1, level) - levels.begin());
}

void set(hdf::Array& array, uint64_t value) {
  array.write<uint64_t>(0, {&value, 1});
  array.flush();
}

}  // namespace

const char* level_name(uint8_t code) { return levels[std::min<size_t>(code, levels.size() - 1)]; }

uint64_t row_checksum(std::span<const double> row) {
  return crc32c({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
}

RunLayout RunLayout::create(const hdf::OpenFile& h5, const std::vector<std::string>& columns, const std::string& spec) {
  h5.text_attribute("format", run_format);
  h5.text_attribute("software", "compeer " COMPEER_VERSION);
  auto text = hdf::Array::create(h5, "spec", hdf::file_type<char>(), 4096);
  text.write<char>(0, spec);
  auto names = hdf::RaggedText::create(h5, "columns", "bytes", 4096);
  for (const auto& name : columns) names.add(name);
  names.write();

  RunLayout made;
  const auto f64 = hdf::file_type<double>(), u64 = hdf::file_type<uint64_t>(), u8 = hdf::file_type<uint8_t>();
  for (const auto& name : columns) made.rows.push_back(hdf::Array::create(h5, "rows/" + name, f64, 1024));
  made.time = hdf::Array::create(h5, "time", f64, 1024);
  made.checksum = hdf::Array::create(h5, "checksum", u64, 1024);
  made.event_step = hdf::Array::create(h5, "events/step", f64, 256);
  made.event_time = hdf::Array::create(h5, "events/time", f64, 256);
  made.event_level = hdf::Array::create(h5, "events/level", u8, 256);
  made.event_text = hdf::RaggedText::create(h5, "events/text", "bytes", 4096);
  made.events_committed = hdf::Array::create(h5, "events/committed", u64, 1);
  made.committed = hdf::Array::create(h5, "committed", u64, 1);
  made.status = hdf::Array::create(h5, "status", u8, status_bytes);
  made.write_status("running");
  set(made.events_committed, 0);
  set(made.committed, 0);
  return made;
}

RunLayout RunLayout::open(const hdf::OpenFile& h5, const std::vector<std::string>& columns) {
  RunLayout opened;
  opened.committed = hdf::Array::open(h5, "committed");
  opened.events_committed = hdf::Array::open(h5, "events/committed");
  for (const auto& name : columns) opened.rows.push_back(hdf::Array::open(h5, "rows/" + name));
  opened.time = hdf::Array::open(h5, "time");
  opened.checksum = hdf::Array::open(h5, "checksum");
  opened.event_step = hdf::Array::open(h5, "events/step");
  opened.event_time = hdf::Array::open(h5, "events/time");
  opened.event_level = hdf::Array::open(h5, "events/level");
  opened.event_text = hdf::RaggedText::open(h5, "events/text", "bytes");
  opened.status = hdf::Array::open(h5, "status");
  return opened;
}

void RunLayout::copy(const RunReader& from, const std::vector<std::string>& columns, uint64_t count) {
  auto first = [&](auto values) {
    values.resize(count);
    return values;
  };
  for (size_t i = 0; i < columns.size(); ++i) rows[i].write<double>(0, first(from.column(columns[i])));
  time.write<double>(0, first(from.times()));
  checksum.write<uint64_t>(0, first(from.checksums()));
  uint64_t events = 0;
  for (const Event& event : from.events()) add_event(events++, event);
  set(events_committed, events);
  set(committed, count);
}

void RunLayout::add_event(uint64_t index, const Event& event) {
  const uint8_t level = level_code(event.level);
  event_step.write<double>(index, {&event.step, 1});
  event_time.write<double>(index, {&event.time, 1});
  event_level.write<uint8_t>(index, {&level, 1});
  event_text.add(event.text);
  event_text.write();
  event_step.flush();
  event_time.flush();
  event_level.flush();
  event_text.flush();
}

void RunLayout::truncate(uint64_t count, uint64_t events) {
  for (auto& column : rows) column.truncate(count);
  for (auto* array : {&time, &checksum}) array->truncate(count);
  for (auto* array : {&event_step, &event_time, &event_level}) array->truncate(events);
  event_text.truncate();
}

void RunLayout::write_status(std::string_view text) {
  std::array<uint8_t, status_bytes> bytes{};
  std::copy_n(text.begin(), std::min(text.size(), status_bytes - 1), bytes.begin());
  status.write<uint8_t>(0, bytes);
  status.flush();
}

}  // namespace compeer::record
