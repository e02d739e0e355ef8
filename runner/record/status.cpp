// Writes and reads status.json, error.json and summary.json.
#include "record/status.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::record {

namespace {

using nlohmann::json;
using Path = std::filesystem::path;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
double number(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

void write_plain(const Path& file, const std::string& text, const char* mode) {
  errno = 0;
  FILE* out = std::fopen(file.c_str(), mode);
  const bool written = out && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = out && std::fclose(out) == 0;
  const int cause = errno;
  if (!written || !closed)
    throw Error(file.string(), fmt::format("can't be written: {}", std::strerror(cause)), write_error_help(cause),
                Exit::failure);
}

Path beside(const Path& file, int rank) {
  Path part = file;
  part += fmt::format(".{}.{}.part", rank, ::getpid());
  return part;
}

// Creates `file` from `part` by a hard link: atomic, and fails if the name is taken. On file systems without hard links
// the file is created exclusively, which is not atomic. Returns false if the file exists.
bool write_if_absent(const Path& file, const Path& part, const std::string& text) {
  write_plain(part, text, "wb");
  bool first = ::link(part.c_str(), file.c_str()) == 0;
  const bool taken = !first && errno == EEXIST;
  ::unlink(part.c_str());
  if (first || taken) return first;
  write_plain(file, text, "wbx");
  return true;
}

template <class T>
std::optional<T> read(const Path& file, T (*from_json)(const json&)) {
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return {};
  const std::string text = read_plain_file(file, longest_json);
  // Empty or all zeros: left by a power failure, because the file is not synced.
  if (text.find_first_not_of('\0') == std::string::npos) return {};
  const json parsed = parse_json_object(text, file.string());
  try {
    return from_json(parsed);
  } catch (const json::exception& e) {
    const std::string message = e.what();
    throw Error(file.string(), "has unexpected contents: " + message.substr(message.find(']') + 2), "", Exit::data);
  }
}

}  // namespace

json to_json(const Status& status) {
  json metrics = json::object();
  for (const auto& [name, value] : status.metrics) metrics[name] = number(value);
  return {{"state", status.state}, {"step", status.step},       {"steps", status.steps},
          {"phase", status.phase}, {"metrics", metrics},        {"started", status.started},
          {"ranks", status.ranks}, {"elapsed", status.elapsed}, {"part", status.part ? json(*status.part) : json()}};
}

Status status_from_json(const json& json) {
  Status status;
  status.state = json.at("state");
  status.step = get_integer<uint64_t>(json.at("step"));
  status.steps = get_integer<uint64_t>(json.at("steps"));
  if (const auto part = json.find("part"); part != json.end() && !part->is_null()) status.part = *part;
  status.phase = json.at("phase");
  for (const auto& [name, value] : json.at("metrics").items()) status.metrics[name] = number(value);
  status.started = json.at("started");
  status.elapsed = json.at("elapsed");
  status.ranks = get_integer<int>(json.at("ranks"));
  return status;
}

json to_json(const ErrorRecord& failure) {
  return {{"rank", failure.rank},   {"host", failure.host}, {"phase", failure.phase},
          {"where", failure.where}, {"what", failure.what}, {"plugin", failure.plugin ? json(*failure.plugin) : json()},
          {"help", failure.help},   {"exit", failure.exit}};
}

ErrorRecord failure_from_json(const json& json) {
  ErrorRecord failure;
  failure.rank = get_integer<int>(json.at("rank"));
  failure.host = json.at("host");
  failure.phase = json.at("phase");
  if (const auto& plugin = json.at("plugin"); !plugin.is_null()) failure.plugin = plugin.get<std::string>();
  failure.where = json.at("where");
  failure.what = json.at("what");
  failure.help = json.at("help");
  failure.exit = get_integer<int>(json.at("exit"));
  return failure;
}

json to_json(const Summary& summary) {
  json metrics = json::object();
  for (const auto& [name, estimate] : summary.metrics)
    metrics[name] = {{"mean", number(estimate.mean)},
                     {"low", number(estimate.low)},
                     {"high", number(estimate.high)},
                     {"n", estimate.n}};
  nlohmann::json all = {{"task", summary.task}, {"steps", summary.steps}, {"metrics", metrics}};
  if (!summary.details.is_null()) all["details"] = summary.details;
  return all;
}

Summary summary_from_json(const json& json) {
  Summary summary;
  summary.task = json.at("task");
  summary.steps = get_integer<uint64_t>(json.at("steps"));
  // Earlier versions computed intervals over the last rows of training as if they were independent.
  const bool independent = summary.task == "evaluate";
  for (const auto& [name, value] : json.at("metrics").items()) {
    statistics::Interval estimate{number(value.at("mean")), number(value.at("low")), number(value.at("high")),
                                  get_integer<int64_t>(value.at("n"))};
    if (!independent) estimate.low = estimate.high = statistics::Interval::unknown;
    summary.metrics[name] = estimate;
  }
  if (json.contains("details")) summary.details = json.at("details");
  return summary;
}

void write_status(const Path& run_folder, const Status& status) {
  // Without fsync, which takes milliseconds: nothing depends on this file.
  const Path file = run_folder / "status.json", part = beside(file, 0);
  try {
    write_plain(part, to_json(status).dump() + "\n", "wb");
    std::filesystem::rename(part, file);
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
}

Status starting_status(const Path& run_folder) {
  constexpr double longest = 1e9;
  Status status;
  status.started = iso_time();
  try {
    const auto earlier = read_status(run_folder);
    if (!earlier || !(earlier->elapsed >= 0 && earlier->elapsed < longest)) return status;
    status.started = earlier->started;
    status.elapsed = earlier->elapsed;
  } catch (const Error&) {  // written without sync, so a power failure may damage it
  }
  return status;
}

void write_summary(const Path& run_folder, const Summary& summary) {
  write_file(run_folder / "summary.json", to_json(summary).dump(1) + "\n");
}

bool write_failure(const Path& run_folder, const ErrorRecord& failure) noexcept {
  try {
    // Messages may contain bytes of damaged files, which need not be UTF-8.
    const auto text = to_json(failure).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
    const Path file = run_folder / "error.json";
    return write_if_absent(file, beside(file, failure.rank), text);
  } catch (...) {
    return false;
  }
}

std::optional<Status> read_status(const Path& run_folder) { return read(run_folder / "status.json", status_from_json); }
std::optional<ErrorRecord> read_failure(const Path& run_folder) {
  return read(run_folder / "error.json", failure_from_json);
}
std::optional<Summary> read_summary(const Path& run_folder) {
  return read(run_folder / "summary.json", summary_from_json);
}

std::string iso_time() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string place_of_failure(const std::string& phase, const std::string& plugin, const std::string& where) {
  const auto told = [&](const std::string& text) { return text.empty() || where.find(text) != std::string::npos; };
  std::string place = phase.empty() || told("in " + phase + "()") ? "" : "phase " + phase;
  if (!told(plugin)) place += (place.empty() ? "" : ", ") + ("plugin " + plugin);
  return place.empty() || where.empty() ? place + where : place + ": " + where;
}

}  // namespace compeer::record
