#pragma once
#include <filesystem>
#include <functional>

#include "record/lock.h"

// The start of compeer-worker, the program that executes a run. A run has one or several such processes, the ranks. Its
// folder contains spec.json, the settings, and receives its results.

namespace compeer::worker {

/// The parsed command line of `compeer-worker`.
struct WorkerCall {
  std::filesystem::path run;           ///< the run's folder
  bool resume = false, fresh = false;  ///< options --resume (continue from the newest checkpoint) and --fresh (start
                                       ///< over); at most one is true
};

/// Parses the command line. Exits the process after --help and --version (code 0), and if the arguments are invalid
/// (code 2).
WorkerCall parse_worker_call(int argc, char** argv);

/// Exclusive access to a run's folder during the lifetime of the object.
struct LockedFolder {
  record::WriterLock lock;  ///< lock of the folder, released by its destructor; holds none if default-constructed
  bool is_over = false;     ///< the run has already finished, and nothing is left to do
};

/// Locks the run's folder. To be called on rank 0 before anything is written to the folder. With --fresh, renames a
/// folder that contains a run to NAME~1 and prints a note; without --fresh, changes nothing. Throws Error (exit code 4:
/// invalid data) if other workers use the folder, or if it contains a run and neither --resume nor --fresh is given.
LockedFolder lock_folder(const WorkerCall& call);

/// Runs `command`, which is not a run, and exits the process with the code that it returns or the exit code of the
/// Error that it throws; other exceptions give 1. Errors are printed in the format of the program compeer. The exit
/// handlers of libraries are skipped.
[[noreturn]] void run_and_exit(const std::function<int()>& command);

}  // namespace compeer::worker
