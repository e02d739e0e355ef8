#pragma once
#include <filesystem>

#include "comm/fault.h"
#include "comm/stop_flag.h"
#include "comm/world.h"

// Reports of abnormal ends of a rank, one of the processes of a run: crashes, uncaught exceptions and hangs. A report
// is a message on standard error, and the file error.json in the run's folder. All state is global, because signal
// handlers have no arguments.

namespace compeer::worker {

/// Installs signal handlers: SIGUSR1, SIGUSR2, SIGTERM and SIGINT raise `stop`, which must outlive them. Signals of the
/// first three kinds that arrived earlier are delivered now: programs that link this file block them from their start.
/// A second SIGINT, not in quick succession, kills the process. SIGPIPE and SIGXFSZ are ignored, so that writes return
/// errors.
void install_stop_handlers(comm::StopFlag& stop);

/// Unblocks SIGUSR1, SIGUSR2 and SIGTERM with their default actions, for commands that are not runs.
void release_signals();

/// Installs handlers for crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), which print a line and the stack on
/// standard error. A failed read of a mapped file (SIGBUS) is reported with file and cause instead, and the
/// process exits with 1 (other failure), or with 4 (invalid data) if the file was truncated.
void install_crash_handlers();

/// Reports every abnormal end of this process: crashes (see install_crash_handlers), uncaught exceptions, and calls of
/// exit() before task_is_over(). Prints rank, host, phase, plugin and cause on standard error. The exit code is
/// that of an Error; otherwise 5 (plugin) if a plugin was being called, or 1; a crash outside of plugins ends the
/// process by its signal. To be called after MPI is initialized, which installs its own handlers. `world` must outlive
/// main().
void install_fault_handlers(comm::World& world);

/// Makes reports write the file `error_file`, too, unless it exists. The process must hold the lock of the run's
/// folder.
void write_faults_into(const std::filesystem::path& error_file);

/// After this call exit() is a normal end of the process.
void task_is_over();

/// Writes error.json (if write_faults_into was called) and prints the fault on standard error. Returns false, and
/// prints nothing, if another rank has already written error.json.
bool report(const comm::Fault& fault);

/// Does the same for a rank that makes no progress; called on the thread of comm::Watchdog. If this rank is the one
/// that hangs, also prints the stack of its main thread.
void report_hang(const comm::Fault& fault);

/// Makes the system kill this process when its parent dies, if that is a launcher (mpirun, orted, slurmstepd, compeer
/// and others), so that no worker is left running.
void die_with_launcher();

}  // namespace compeer::worker
