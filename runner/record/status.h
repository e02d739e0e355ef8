#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "statistics/interval.h"

/// The small JSON files of a run folder that people and the front end look at. Each appears whole, by a rename.
/// In JSON a number that isn't finite is null; null reads back as NaN.

namespace compeer::record {

/// status.json: where a run is just now. Cheap enough for a few writes a second (no fsync).
struct Status {
  std::string state = "starting";  ///< starting, running, finished, failed, preempted
  uint64_t step = 0, steps = 0;
  std::string phase;
  std::map<std::string, double> metrics;  ///< the last row of run.h5
  std::string started;                    ///< first start, also of a resumed run; UTC, as iso_time() gives it
  double elapsed = 0;                     ///< running time in seconds, all parts of a resumed run together
  int ranks = 1;
  std::optional<double> part = {};  ///< what is done of the next step; nothing if all steps take as long
};

/// error.json: the first rank that failed, and why. `where`, `what` and `help` are those of compeer::Error.
struct ErrorRecord {
  int rank = 0;
  std::string host, phase;
  std::optional<std::string> plugin;  ///< "rewards/length 1.0.0"
  std::string where, what, help;
  int exit = 1;
};

/// A metric of summary.json. Evaluations have intervals over their prompts; the last rows of training are no
/// independent values, so their means have none, nor has what was measured once, over all texts together.

/// summary.json: what a run came to.
struct Summary {
  std::string task;
  uint64_t steps = 0;
  std::map<std::string, statistics::Interval> metrics;
  nlohmann::json details = nullptr;  ///< what else the task has to say; null: nothing
};

nlohmann::json to_json(const Status& status);
nlohmann::json to_json(const ErrorRecord& failure);
nlohmann::json to_json(const Summary& summary);
Status status_from_json(const nlohmann::json& json);
ErrorRecord failure_from_json(const nlohmann::json& json);
Summary summary_from_json(const nlohmann::json& json);

void write_status(const std::filesystem::path& run_folder, const Status& status);

/// Returns the status of a run that is about to start or to be resumed: state "starting", `started` and `elapsed` from
/// the status.json of its earlier part. If there is none, or it can't be read: the time now, and 0.
Status starting_status(const std::filesystem::path& run_folder);
void write_summary(const std::filesystem::path& run_folder, const Summary& summary);
/// False if another process was first: its error.json stays. Never throws, for it is called when all else failed.
bool write_failure(const std::filesystem::path& run_folder, const ErrorRecord& failure) noexcept;

/// Nothing if the file is absent; Error (exit 4) naming the file if it can't be understood.
std::optional<Status> read_status(const std::filesystem::path& run_folder);
std::optional<ErrorRecord> read_failure(const std::filesystem::path& run_folder);
std::optional<Summary> read_summary(const std::filesystem::path& run_folder);

/// Now, in UTC: "2025-03-01T12:34:56Z".
std::string iso_time();

/// What precedes the cause of a failure: "phase score, plugin rewards/length 1.0.0: a.jsonl:3", each of the three only
/// if it is known, and nothing that `where` already tells: "rewards/length 1.0.0 (/x/length.so), in score()" needs no
/// more.
std::string place_of_failure(const std::string& phase, const std::string& plugin, const std::string& where);

}  // namespace compeer::record
