// Writes TensorBoard event files. The few protocol-buffer fields that they need are encoded here.
#include "record/tensorboard.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/files.h"
#include "record/crc32c.h"

namespace compeer::record {

namespace {

template <class T>
void put_little_endian(std::string& out, T value) {
  for (size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> 8 * i);
}

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

// Protocol-buffer fields: a key (number and wire type), then the value.
void put_integer(std::string& out, unsigned field, uint64_t value) {
  put_varint(out, field << 3 | 0);
  put_varint(out, value);
}
void put_double(std::string& out, unsigned field, double value) {
  put_varint(out, field << 3 | 1);
  put_little_endian(out, std::bit_cast<uint64_t>(value));
}
void put_float(std::string& out, unsigned field, float value) {
  put_varint(out, field << 3 | 5);
  put_little_endian(out, std::bit_cast<uint32_t>(value));
}
void put_bytes(std::string& out, unsigned field, std::string_view value) {
  put_varint(out, field << 3 | 2);
  put_varint(out, value.size());
  out += value;
}

// Event: wall_time = 1, step = 2, file_version = 3, summary = 5. Summary: value = 1. Value: tag = 1, simple_value = 2.
std::string version_event(double time) {
  std::string event;
  put_double(event, 1, time);
  put_bytes(event, 3, "brain.Event:2");
  return event;
}

std::string scalars_event(double time, uint64_t step, const std::string& summary) {
  std::string event;
  put_double(event, 1, time);
  put_integer(event, 2, step);
  put_bytes(event, 5, summary);
  return event;
}

void put_scalar(std::string& summary, const std::string& tag, double value) {
  std::string scalar;
  put_bytes(scalar, 1, tag);
  put_float(scalar, 2, static_cast<float>(value));
  put_bytes(summary, 1, scalar);
}

// TensorBoard stores checksums masked like this, because a CRC of data that contains CRCs is weak.
uint32_t masked(uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8u; }

}  // namespace

std::string framed_record(std::string_view message) {
  std::string record;
  put_little_endian<uint64_t>(record, message.size());
  put_little_endian(record, masked(crc32c(record)));
  record += message;
  put_little_endian(record, masked(crc32c(message)));
  return record;
}

std::filesystem::path write_tensorboard(const std::filesystem::path& folder, const RunReader& run,
                                        const std::vector<Scalar>& others) {
  const auto times = run.times();
  std::vector<std::pair<std::string, std::vector<double>>> scalars;
  std::vector<double> steps;
  for (const auto& name : run.columns())
    if (name == "step")
      steps = run.column(name);
    else
      scalars.emplace_back(name, run.column(name));

  const double started = times.empty() ? 0 : times[0];
  std::string bytes = framed_record(version_event(started));
  for (uint64_t row = 0; row < run.rows(); ++row) {
    std::string summary;
    for (const auto& [tag, values] : scalars)
      if (!std::isnan(values[row])) put_scalar(summary, tag, values[row]);
    const bool known = !steps.empty() && steps[row] >= 0 && steps[row] < 9e15;
    const uint64_t step = known ? static_cast<uint64_t>(steps[row]) : row + 1;
    bytes += framed_record(scalars_event(times[row], step, summary));
  }
  for (const auto& [tag, step, value] : others) {
    if (std::isnan(value)) continue;
    std::string summary;
    put_scalar(summary, tag, value);
    bytes += framed_record(scalars_event(times.empty() ? 0 : times.back(), step, summary));
  }
  std::filesystem::create_directories(folder);
  const auto file = folder / fmt::format("events.out.tfevents.{:010}.compeer", static_cast<int64_t>(started));
  write_file(file, bytes);
  return file;
}

}  // namespace compeer::record
