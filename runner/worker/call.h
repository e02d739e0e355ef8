#pragma once
#include <filesystem>

#include "record/lock.h"

namespace compeer::worker {

/// What the words behind `compeer-worker` ask for.
struct WorkerCall {
  std::filesystem::path run;
  bool resume = false, fresh = false;  ///< not both
};

/// Answers --help and --version itself, and ends the process with exit code 2 if the words make no sense.
WorkerCall parse_worker_call(int argc, char** argv);

/// A run's folder that this process may write into, as long as the object lives.
struct TakenFolder {
  record::WriterLock lock;
  bool is_over = false;  ///< the run in it finished before: nothing is left to do
};

/// Takes the folder for the run that `call` asks for. Called on rank 0, before anything in the folder is touched, and
/// touches nothing itself; only `--fresh` puts aside what was begun (record::set_aside), and says so on standard error.
/// Throws Error (exit 4) if other workers are at the run, and if one was begun that the call doesn't speak of.
TakenFolder take_folder(const WorkerCall& call);

}  // namespace compeer::worker
