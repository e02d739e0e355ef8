// Calls of Slurm's sbatch and squeue.
#include "launch/slurm/slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "launch/process.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

constexpr double answer_seconds = 120;  // seconds: a busy controller may take its time

// Returns the job id from the last line that is "17" or "17;cluster"; "" if there is none. Earlier lines may be
// messages of the site, which may be numbers too.
std::string job_number(const std::string& answer) {
  static const std::regex form("([0-9]+)(?:;.*)?");
  std::istringstream lines(answer);
  std::string number;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, form)) number = match[1];
  }
  return number;
}

}  // namespace

void check_sbatch() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / "sbatch").c_str(), X_OK) == 0) return;
  }
  throw Error(
      "sbatch", "is not installed",
      "submit from a machine of the cluster; without sbatch, --write-only writes the scripts, --dry-run prints them",
      Exit::failure);
}

std::string submit_job(const fs::path& script) {
  const auto answer = run_program({"sbatch", "--parsable", script.string()}, {}, answer_seconds);
  const auto number = job_number(answer.text);
  if (answer.exit == 0 && !number.empty()) return number;
  auto text = answer.text;
  while (text.ends_with('\n')) text.pop_back();
  if (answer.exit == 0) {
    throw Error("sbatch", fmt::format("printed no job number:\n{}", text),
                "check squeue before you submit again: the job may be queued", Exit::failure);
  }
  throw Error("sbatch", fmt::format("ended with exit code {}:\n{}", answer.exit, text),
              fmt::format("correct the options, or edit the script and run: sbatch {}", script.string()),
              Exit::failure);
}

void remember_job(const fs::path& folder, const std::string& job) {
  write_file(folder / "job.json", nlohmann::json{{"job", job}}.dump() + "\n");
}

std::optional<QueuedJob> job_in_queue(const fs::path& folder) {
  std::error_code none;
  if (!fs::exists(folder / "job.json", none)) return {};
  const auto known = nlohmann::json::parse(read_plain_file(folder / "job.json", 1 << 16), nullptr, false);
  if (!known.is_object() || !known.contains("job") || !known["job"].is_string()) return {};
  const auto job = known["job"].get<std::string>();
  const auto answer = run_program({"squeue", "--noheader", "--jobs", job, "--format", "%T"}, {}, answer_seconds);
  if (answer.exit != 0) return {};  // the job is no longer known, or Slurm is not installed
  std::istringstream states(answer.text);
  std::string state;
  if (!(states >> state)) return {};
  return QueuedJob{job, state};
}

}  // namespace compeer::launch
