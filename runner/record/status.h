#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "statistics/interval.h"

/// The small JSON files of a run's folder: status.json (progress), error.json (the first failure) and summary.json
/// (results). The run writes them; the programs that watch, resume and report runs read them. Each is written
/// atomically. Numbers that are not finite are null in JSON; null is read as NaN.
namespace compeer::record {

/// status.json: the current state of a run. Written without fsync, so that several writes a second are cheap.
struct Status {
  std::string state = "starting";         ///< starting, running, finished, failed, preempted
  uint64_t step = 0, steps = 0;           ///< completed and planned steps
  std::string phase;                      ///< part of the current step that is running, such as "rollout"; may be empty
  std::map<std::string, double> metrics;  ///< the last row of run.h5: value by column
  std::string started;                    ///< UTC time of the first start, as iso_time(); kept when a run is resumed
  double elapsed = 0;                     ///< running time in seconds, over all starts of the run
  int ranks = 1;                          ///< number of ranks (processes)
  /// Finished fraction of the next step, 0 to 1; unset if all steps take similar times.
  std::optional<double> part = {};
};

/// error.json: the first failure of a run.
struct ErrorRecord {
  int rank = 0;                       ///< rank that failed
  std::string host;                   ///< machine of that rank
  std::string phase;                  ///< part of the step during which it failed; "" if unknown
  std::optional<std::string> plugin;  ///< plugin that was running, "rewards/length 1.0.0"; nullopt if none
  std::string where, what, help;      ///< of the Error: its location, its problem and the advice; `help` may be empty
  int exit = 1;                       ///< exit code of the rank
};

/// summary.json: the results of a finished run. Metrics of evaluations have 95 % intervals over their prompts. Means
/// over the last rows of training have none, because the rows are not independent. Values measured once, over all
/// texts, have none either.
struct Summary {
  std::string task;                                     ///< setting `task`: "grpo", "sft", "evaluate", "data"
  uint64_t steps = 0;                                   ///< number of completed steps
  std::map<std::string, statistics::Interval> metrics;  ///< mean and interval by the name of the metric
  nlohmann::json details = nullptr;                     ///< further results of the task, or null
};

/// Convert to and from JSON. The functions from JSON throw nlohmann::json::exception if fields are missing or of a
/// wrong type. summary_from_json() drops the intervals of tasks other than "evaluate", which earlier versions stored.
nlohmann::json to_json(const Status& status);
nlohmann::json to_json(const ErrorRecord& failure);
nlohmann::json to_json(const Summary& summary);
Status status_from_json(const nlohmann::json& json);
ErrorRecord failure_from_json(const nlohmann::json& json);
Summary summary_from_json(const nlohmann::json& json);

/// Writes or replaces status.json. Throws Error (exit code 1: a failure of the system) if that fails.
void write_status(const std::filesystem::path& run_folder, const Status& status);

/// Returns the status of a run that is about to start or to be resumed: state "starting", with `started` and `elapsed`
/// from its earlier status.json. If that is missing or invalid, `started` is the current time and `elapsed` is 0.
Status starting_status(const std::filesystem::path& run_folder);
/// Writes or replaces summary.json, with fsync. Throws Error (exit code 1) if that fails.
void write_summary(const std::filesystem::path& run_folder, const Summary& summary);
/// Writes error.json unless it exists, so that the first failure is kept. Returns true if it was written, false if it
/// existed or can't be written.
bool write_failure(const std::filesystem::path& run_folder, const ErrorRecord& failure) noexcept;

/// Read status.json, error.json and summary.json. Return nullopt if the file is missing, or empty after a power
/// failure. Throw Error (exit code 4: invalid data) if it is invalid.
std::optional<Status> read_status(const std::filesystem::path& run_folder);
std::optional<ErrorRecord> read_failure(const std::filesystem::path& run_folder);
std::optional<Summary> read_summary(const std::filesystem::path& run_folder);

/// Returns the current time in UTC: "2025-03-01T12:34:56Z".
std::string iso_time();

/// Returns the location of a failure for messages: "phase score, plugin rewards/length 1.0.0: a.jsonl:3". The arguments
/// are the fields of ErrorRecord. Empty ones are omitted. Phase and plugin are also omitted if `where` already contains
/// them, as in "rewards/length 1.0.0 (/x/length.so), in score()".
std::string place_of_failure(const std::string& phase, const std::string& plugin, const std::string& where);

}  // namespace compeer::record
