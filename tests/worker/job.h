#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::test {

/// A worker under test in its own run folder: `ranks` processes under mpirun, or one without a launcher if `ranks` is
/// 0. An environment variable marks all processes that it starts, to find leftovers. If `spec_file` is null, no
/// spec.json is written. `variables` are added to the environment.
class Job {
 public:
  Job(const std::string& program, const nlohmann::json& spec_file, int ranks, const std::vector<std::string>& more = {},
      std::vector<std::string> variables = {});
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Starts the worker again in the same folder. Call it after the first has ended.
  void again(const std::vector<std::string>& more);

  /// Waits until the job ends. Returns the exit code as a shell does, or -1 if a generous deadline passes.
  int wait();

  /// Waits until the file exists and is not empty. Returns false if the job ends or the deadline passes first.
  bool wait_for(const std::string& file);
  void signal(int number) const;

  const std::filesystem::path& folder() const { return folder_; }
  std::string output() const;        ///< standard output and error together
  nlohmann::json error() const;      ///< content of error.json; null if there is none
  bool nothing_left_behind() const;  ///< true if no process of this job is alive after a short wait

 private:
  std::string program_, mark_;
  int ranks_;
  std::vector<std::string> variables_;
  std::filesystem::path folder_;
  int pid_ = -1;
};

}  // namespace compeer::test
