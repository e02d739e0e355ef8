#pragma once
#include <filesystem>

#include "comm/fault.h"
#include "comm/stop_flag.h"
#include "comm/world.h"

namespace compeer::worker {

/// From here on SIGUSR1, SIGUSR2, SIGTERM and SIGINT raise `stop`, also if one of the first three came before: a
/// program that links this holds them back from its start on. A second SIGINT (base/signals.h) kills. A closed
/// pipe is no signal.
void obey_signals(comm::StopFlag& stop);

/// For what is no run: SIGUSR1, SIGUSR2 and SIGTERM do what they always do.
void release_signals();

/// A crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) leaves a line on standard error. A read of a mapped file that
/// fails (SIGBUS) is reported like any other: the file and the cause, exit 1; exit 4 if the file became shorter.
void watch_for_crashes();

/// Gives every abnormal end of this process a name, from here on. A crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT),
/// an exception that nobody catches and a call of exit() before task_is_over() leave a line on standard error: rank,
/// host, phase, plugin, cause. In a plugin's phase the exit code is 5, else 1, or the signal itself.
/// Call it after MPI has started, which installs handlers of its own. `world` must outlive the process's main().
void watch_for_faults(comm::World& world);

/// From here on they write error.json, too. The folder has to be ours.
void write_faults_into(const std::filesystem::path& error_file);

/// From now on exit() is an honest end.
void task_is_over();

/// Writes error.json, if there is to be one, and says on standard error what it says. False if another rank came first:
/// then it is silent.
bool report(const comm::Fault& fault);

/// The same for the watchdog's thread, and where the main thread hangs if this rank is the one to blame.
void report_hang(const comm::Fault& fault);

/// Ends this process when what started it (mpirun, orted, slurmstepd, compeer) dies, so that no process is left
/// behind.
void die_with_launcher();

}  // namespace compeer::worker
