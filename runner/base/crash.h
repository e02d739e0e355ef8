#pragma once

/// Reports of crashes: a signal handler, and call stacks that it can print although the process's memory may be
/// corrupt.
namespace compeer {

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT that calls `report` once and then ends the
/// process by the signal. `report` must be async-signal-safe. On the thread that called install_crash_handler() it runs
/// on an alternate stack, because the thread's own stack may have overflowed. Other threads that crash at the same time
/// wait.
void install_crash_handler(void (*report)(int signal));

/// Returns the memory address that the crashing instruction accessed. To be called by the crash handler's `report`
/// only.
const void* crash_address();

/// Writes this thread's call stack as raw addresses and symbols, at most 64 lines with one frame each, to the file
/// descriptor `file`. Async-signal-safe after install_crash_handler() was called.
void show_stack(int file);

/// Writes the call stack in readable form to the file descriptor `file`, starting at the frame that crashed: at most 40
/// lines with library, offset, function and source line, such as "/x/rewards/a.so+0x1a2b  score(Group const&) at
/// a.cpp:12". Runs addr2line and c++filt, if installed, for at most 5 s to find the names and line numbers. For crash
/// handlers.
void show_named_stack(int file);

/// Ends this process with the signal's default action.
[[noreturn]] void exit_by_signal(int signal);

}  // namespace compeer
