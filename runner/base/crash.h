#pragma once

namespace compeer {

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT that calls `story` once and then ends the process
/// by the signal. `story` must be async-signal-safe. On the thread that called `install_crash_handler` it runs on an
/// alternate stack, because the thread's own may have overflowed. Other threads that crash meanwhile wait.
void install_crash_handler(void (*story)(int signal));

/// Returns the memory address that the crashing instruction accessed. To be called by `story` only.
const void* crash_address();

/// Writes this thread's call stack, at most 64 lines with one frame each, to the file descriptor `file`.
/// Async-signal-safe after `install_crash_handler` was called.
void show_stack(int file);

/// Writes the call stack in readable form, starting at the frame that crashed, at most 40 lines such as "
/// /x/rewards/a.so+0x1a2b  score(Group const&) at a.cpp:12". Runs addr2line and c++filt, if installed, for at most 5 s
/// to find the names and line numbers.
void show_named_stack(int file);

/// Ends this process with the signal's default action.
[[noreturn]] void exit_by_signal(int signal);

}  // namespace compeer
