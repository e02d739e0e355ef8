#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::test {

/// A worker under test, in a run folder of its own: `ranks` processes under mpirun, or one without a launcher if
/// `ranks` is 0. Whatever it starts carries a mark in its environment, by which leftovers are found. A null `spec_file`
/// leaves the folder without one. `variables` are added to its environment.
class Job {
 public:
  Job(const std::string& program, const nlohmann::json& spec_file, int ranks, const std::vector<std::string>& more = {},
      std::vector<std::string> variables = {});
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Starts the worker once more in the same folder, after the end of the first.
  void again(const std::vector<std::string>& more);

  /// Waits for the end, with a deadline far beyond any honest one. The exit code as a shell gives it, -1: too late.
  int wait();

  /// Blocks until the file is there and not empty; false if the job ends or the deadline passes before.
  bool wait_for(const std::string& file);
  void signal(int number) const;

  const std::filesystem::path& folder() const { return folder_; }
  std::string output() const;        ///< standard output and error together
  nlohmann::json error() const;      ///< error.json; null if there is none
  bool nothing_left_behind() const;  ///< no process of this job lives on, after a moment's patience

 private:
  std::string program_, mark_;
  int ranks_;
  std::vector<std::string> variables_;
  std::filesystem::path folder_;
  int pid_ = -1;
};

}  // namespace compeer::test
