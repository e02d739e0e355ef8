#pragma once
#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "comm/board.h"
#include "comm/world.h"

namespace compeer::comm {

/// What `World` keeps of MPI. Only this room's sources include this header.
struct World::Mpi {
  MPI_Comm ranks = MPI_COMM_NULL;  // our own copy of MPI_COMM_WORLD
  bool threads = false;            // MPI may be called from any thread
  std::vector<std::string> hosts;  // by rank
  std::vector<MPI_Request> posted;

  int64_t next_tag = 1;                     // of `Messages`
  std::vector<std::shared_ptr<void>> kept;  // what their abandoned ones may still touch

  MPI_Win board = MPI_WIN_NULL;  // the slots of this host's ranks, in memory they share
  std::vector<Slot*> others;

  std::string name(int rank) const { return "rank " + std::to_string(rank) + " (host " + hosts.at(rank) + ")"; }
  void share_board(int rank);
  void close_board();
};

/// Marks the main thread as waiting for other ranks while it lives; the end of the wait is progress. Within another one
/// it does nothing: the outer call is what people know.
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
  const bool outermost_;
};

/// Throws the Error of a failed call: "MPI_Send to rank 2 (host b) failed: ...", with the phase.
[[noreturn]] void fail(int code, const char* call, const std::string& peers);

/// Every MPI call that can fail goes through here. `peers` is only worked out if it has.
template <typename Peers>
void check(int code, const char* call, Peers&& peers) {
  if (code != MPI_SUCCESS) fail(code, call, peers());
}
inline void check(int code, const char* call) {
  check(code, call, [] { return std::string("with all ranks"); });
}

}  // namespace compeer::comm
