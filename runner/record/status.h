#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "statistics/interval.h"

/// The small JSON files of a run's folder: status.json, error.json and summary.json. Each is written atomically, by a
/// rename. Numbers that are not finite are null in JSON; null is read as NaN.

namespace compeer::record {

/// status.json: the current state of a run. Written without fsync, so that several writes a second are cheap.
struct Status {
  std::string state = "starting";  ///< starting, running, finished, failed, preempted
  uint64_t step = 0, steps = 0;    ///< completed and planned steps
  std::string phase;
  std::map<std::string, double> metrics;  ///< the last row of run.h5
  std::string started;                    ///< UTC time of the first start, as iso_time(); kept when a run is resumed
  double elapsed = 0;                     ///< running time in seconds, over all starts of the run
  int ranks = 1;
  std::optional<double> part = {};  ///< finished fraction of the next step; unset if all steps take similar times
};

/// error.json: the first failure of a run. `where`, `what` and `help` are those of compeer::Error.
struct ErrorRecord {
  int rank = 0;
  std::string host, phase;
  std::optional<std::string> plugin;  ///< "rewards/length 1.0.0"
  std::string where, what, help;
  int exit = 1;  ///< exit code
};

/// summary.json: the results of a run. Metrics of evaluations have intervals over their prompts. Means over the last
/// rows of training have none, because the rows are not independent; nor have values measured once, over all texts.
struct Summary {
  std::string task;
  uint64_t steps = 0;
  std::map<std::string, statistics::Interval> metrics;
  nlohmann::json details = nullptr;  ///< further results of the task, or null
};

/// Conversions to and from JSON. The latter throw nlohmann::json::exception if fields are missing or of a wrong type.
nlohmann::json to_json(const Status& status);
nlohmann::json to_json(const ErrorRecord& failure);
nlohmann::json to_json(const Summary& summary);
Status status_from_json(const nlohmann::json& json);
ErrorRecord failure_from_json(const nlohmann::json& json);
Summary summary_from_json(const nlohmann::json& json);

void write_status(const std::filesystem::path& run_folder, const Status& status);

/// Returns the status of a run that is about to start or to be resumed: state "starting", with `started` and `elapsed`
/// from its earlier status.json. If that is missing or invalid: the current time, and 0.
Status starting_status(const std::filesystem::path& run_folder);
void write_summary(const std::filesystem::path& run_folder, const Summary& summary);
/// Writes error.json unless it exists: the first failure stays. Returns true if it was written. Never throws.
bool write_failure(const std::filesystem::path& run_folder, const ErrorRecord& failure) noexcept;

/// Return nullopt if the file is missing, or empty after a power failure. Throw Error (exit 4) if it is invalid.
std::optional<Status> read_status(const std::filesystem::path& run_folder);
std::optional<ErrorRecord> read_failure(const std::filesystem::path& run_folder);
std::optional<Summary> read_summary(const std::filesystem::path& run_folder);

/// Current time in UTC: "2025-03-01T12:34:56Z".
std::string iso_time();

/// Returns the location of a failure for messages: "phase score, plugin rewards/length 1.0.0: a.jsonl:3". Empty parts
/// are omitted, and phase and plugin also if `where` already contains them, as "rewards/length 1.0.0 (/x/length.so), in
/// score()".
std::string place_of_failure(const std::string& phase, const std::string& plugin, const std::string& where);

}  // namespace compeer::record
