// The board: shared memory in which each rank of a host publishes its phase and progress, for watchdogs and error
// messages of the other ranks.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <new>

#include "comm/mpi.h"

namespace compeer::comm {

namespace {

// Returns the state letter of /proc/<pid>/stat, which follows the last parenthesis: "17 (a name) S ...". 'X' if the
// process has ended, '?' if its state is not visible.
char process_state(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return ::kill(pid, 0) == 0 ? '?' : 'X';
  const size_t end = line.rfind(") ");
  return end == std::string::npos || end + 2 >= line.size() ? '?' : line[end + 2];
}

}  // namespace

void World::Mpi::share_board(int rank) {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  int size = 1, me = 0;
  MPI_Comm_size(host, &size);
  MPI_Comm_rank(host, &me);
  Slot* mine = nullptr;
  check(MPI_Win_allocate_shared(sizeof(Slot), 1, MPI_INFO_NULL, host, &mine, &board), "MPI_Win_allocate_shared");
  new (mine) Slot();
  move_main_slot(mine);
  mine->rank = rank;
  mine->pid = ::getpid();
  check(MPI_Barrier(host), "MPI_Barrier");
  for (int i = 0; i < size; ++i) {
    if (i == me) continue;
    MPI_Aint bytes = 0;
    int unit = 0;
    Slot* other = nullptr;
    check(MPI_Win_shared_query(board, i, &bytes, &unit, &other), "MPI_Win_shared_query");
    others.push_back(other);
  }
  MPI_Comm_free(&host);
}

void World::Mpi::close_board() {
  move_main_slot(nullptr);
  others.clear();
  MPI_Win_free(&board);
}

std::vector<World::Neighbour> World::neighbours() const {
  std::vector<Neighbour> all;
  if (!mpi_) return all;
  for (const Slot* slot : mpi_->others) {
    const int pid = slot->pid;
    all.push_back({slot->rank,
                   pid,
                   {slot->phase.get(), slot->plugin.get()},
                   slot->waiting_in.get(),
                   slot->progress,
                   process_state(pid)});
  }
  return all;
}

std::string World::waiting_in() const { return main_slot().waiting_in.get(); }

}  // namespace compeer::comm
