#pragma once
#include <filesystem>

namespace compeer::worker {

/// What the words behind `compeer-worker` ask for.
struct WorkerCall {
  std::filesystem::path run;
  bool resume = false, fresh = false;  ///< not both
};

/// Answers --help and --version itself, and ends the process with exit code 2 if the words make no sense.
WorkerCall parse_worker_call(int argc, char** argv);

}  // namespace compeer::worker
