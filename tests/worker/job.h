#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::test {

/// A worker process under test in its own run folder. An environment variable marks all processes that it starts, so
/// that leftovers can be found.
class Job {
 public:
  /// Starts the worker. `program`: its file; `spec_file`: content of spec.json, or null for none; `ranks`: number of
  /// processes under mpirun, or 0 for one process without a launcher; `more`: further arguments; `variables`: additions
  /// to the environment, "NAME=value".
  Job(const std::string& program, const nlohmann::json& spec_file, int ranks, const std::vector<std::string>& more = {},
      std::vector<std::string> variables = {});
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Starts the worker again in the same folder, with these further arguments. The first must have ended.
  void again(const std::vector<std::string>& more);

  /// Waits until the job ends. Returns the exit code as a shell does, or -1 after sixty seconds.
  int wait();

  /// Waits until a file of the run folder exists and is not empty. Returns false if the job ends or sixty seconds pass
  /// first.
  bool wait_for(const std::string& file);
  /// Sends a signal to the process that was started.
  void signal(int number) const;

  const std::filesystem::path& folder() const { return folder_; }
  std::string output() const;        ///< standard output and error together
  nlohmann::json error() const;      ///< content of error.json; null if there is none
  bool nothing_left_behind() const;  ///< true if no process of this job is alive after a short wait

 private:
  std::string program_, mark_;  // the worker's file; the marking environment variable
  int ranks_;
  std::vector<std::string> variables_;
  std::filesystem::path folder_;  // the run folder
  int pid_ = -1;                  // of the process that was started; -1: none is running
};

}  // namespace compeer::test
