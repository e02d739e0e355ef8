#pragma once
#include <filesystem>
#include <functional>

#include "record/lock.h"

namespace compeer::worker {

/// The parsed command line of `compeer-worker`.
struct WorkerCall {
  std::filesystem::path run;           ///< the run's folder
  bool resume = false, fresh = false;  ///< options --resume and --fresh; at most one is true
};

/// Parses the command line. Exits the process after --help and --version (code 0), and if the arguments are invalid
/// (code 2).
WorkerCall parse_worker_call(int argc, char** argv);

/// Exclusive access to a run's folder during the lifetime of the object.
struct LockedFolder {
  record::WriterLock lock;
  bool is_over = false;  ///< the run has already finished, and nothing is left to do
};

/// Locks the run's folder. To be called on rank 0 before anything is written to the folder. With --fresh, renames a
/// folder that contains a run (record::rename_aside) and prints a note; otherwise changes nothing. Throws Error (exit
/// 4) if other workers use the folder, or if it contains a run and neither --resume nor --fresh is given.
LockedFolder lock_folder(const WorkerCall& call);

/// Runs a command that needs no ranks and exits the process with the code that it returns, or that of the Error it
/// throws; other exceptions give 1. Errors are printed in the format of the front end. Skips the exit handlers of
/// libraries.
[[noreturn]] void run_and_exit(const std::function<int()>& command);

}  // namespace compeer::worker
