#pragma once

namespace compeer {

/// Has `story` told when this process crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT): once, on a stack of its own,
/// for the thread's may have overflown. It may do only what a signal handler may. If it returns, the signal ends the
/// process.
void when_crashing(void (*story)(int signal));

/// The address that the crashing instruction accessed. Only for `story`.
const void* crash_address();

/// Where this thread is, a line for each function, into an open file. For handlers; once `when_crashing` was called.
void show_stack(int file);

/// The same for people, from where it crashed on: "  /x/rewards/a.so+0x1a2b  score(Group const&) at a.cpp:12". Names
/// and lines are those that addr2line and c++filt, if installed, find out within some seconds.
void show_named_stack(int file);

/// Ends this process as the signal would have.
[[noreturn]] void die_of(int signal);

}  // namespace compeer
