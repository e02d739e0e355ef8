#pragma once
#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "comm/board.h"
#include "comm/world.h"

namespace compeer::comm {

/// The MPI state of `World`. Include this header only from the sources of this room.
struct World::Mpi {
  MPI_Comm ranks = MPI_COMM_NULL;   // duplicate of MPI_COMM_WORLD
  bool threads = false;             // true if any thread may call MPI (MPI_THREAD_MULTIPLE)
  std::vector<std::string> hosts;   // host name of each rank
  std::vector<MPI_Request> posted;  // messages of World::post that World::delivered has not yet waited for

  int64_t next_tag = 1;                     // first tag of the next `Messages` object
  std::vector<std::shared_ptr<void>> kept;  // memory that abandoned messages may still read or write

  MPI_Win board = MPI_WIN_NULL;  // shared memory with the slots of this host's ranks
  std::vector<Slot*> others;     // slots of the other ranks of this host

  // "rank 2 (host b)"
  std::string name(int rank) const { return "rank " + std::to_string(rank) + " (host " + hosts.at(rank) + ")"; }
  // Collective. Allocates the board, makes this rank's place on it the main thread's slot, and finds the other slots.
  void share_board(int rank);
  // Collective. Moves the main thread's slot back to this process's own memory and frees the board.
  void close_board();
};

/// Marks the main thread as waiting for other ranks, in the call named `call`, for the lifetime of the object. The end
/// of the wait counts as progress. A nested object keeps the name of the outer call, which users recognize.
class Waiting {
 public:
  explicit Waiting(const std::string& call) : outermost_(main_slot().waiting_in.get().empty()) {
    if (outermost_) main_slot().waiting_in.set(call);
  }
  ~Waiting() {
    if (outermost_) main_slot().waiting_in.set("");
    mark_progress();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  const bool outermost_;  // true if no other object of this class existed at construction
};

/// Throws the Error (exit code 1: other failure) for a failed MPI call: "MPI_Send to rank 2 (host b) failed: ...",
/// located at the current phase. `code`: MPI's error code. `call`: "MPI_Send". `peers`: "to rank 2 (host b)".
[[noreturn]] void fail(int code, const char* call, const std::string& peers);

/// Throws the Error of fail() unless `code` is MPI_SUCCESS. `peers` returns a text such as "to rank 2 (host b)"; it is
/// called only after a failure.
template <typename Peers>
void check(int code, const char* call, Peers&& peers) {
  if (code != MPI_SUCCESS) fail(code, call, peers());
}
/// The same for a call that involves all ranks.
inline void check(int code, const char* call) {
  check(code, call, [] { return std::string("with all ranks"); });
}

}  // namespace compeer::comm
