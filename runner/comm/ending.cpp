#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>

#include "comm/mpi.h"

namespace compeer::comm {

namespace {

constexpr unsigned patience = 10;  // seconds that MPI gets to end a job

// Ends the process if MPI has not done so in time.
void exit_after(unsigned seconds, int code) {
  static std::atomic<int> exit_code;
  exit_code = code;
  struct sigaction action = {};
  action.sa_handler = [](int) { ::_exit(exit_code); };
  ::sigaction(SIGALRM, &action, nullptr);
  ::alarm(seconds);
}

// Gives all ranks the time to close their files on the way here; but one that never comes must not hold up the rest.
void wait_for_all(MPI_Comm ranks) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(patience / 2);
  MPI_Request all_here;
  if (MPI_Ibarrier(ranks, &all_here) != MPI_SUCCESS) return;
  int done = 0;
  while (!done && std::chrono::steady_clock::now() < until) {
    if (MPI_Test(&all_here, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    ::sched_yield();
  }
}

}  // namespace

void fail(int code, const char* call, const std::string& with) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  const Activity at = activity();
  throw Error(at.phase.empty() ? "communication" : "phase '" + at.phase + "'",
              std::string(call) + " " + with + " failed: " + text, "another rank or its host has probably died",
              Exit::failure);
}

void World::finish() {
  if (!mpi_) return;
  barrier(the_end);
  mpi_->close_board();
  MPI_Comm_free(&mpi_->ranks);
  MPI_Finalize();
  mpi_.reset();
}

void World::leave(int code) {
  std::fflush(nullptr);
  if (mpi_) wait_for_all(mpi_->ranks);
  if (rank_ == 0) abort(code);
  exit_after(patience, code);
  for (;;) ::pause();
}

void World::abort(int code) {
  if (!mpi_) ::_exit(code);
  exit_after(patience, code);
  const bool allowed = mpi_->threads || on_main_thread();
  if (allowed) MPI_Abort(MPI_COMM_WORLD, code);
  ::_exit(code);
}

}  // namespace compeer::comm
