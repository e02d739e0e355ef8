#pragma once
#include <string>
#include <vector>

#include "base/machine.h"
#include "comm/world.h"

namespace compeer::train {

/// Where a rank is, and what of the machine it may use.
struct Seat {
  std::string host;
  Machine machine;
};

/// Everyone's seats, on rank 0. Collective.
std::vector<Seat> gather_seats(comm::World& world);

/// Lines for people: ranks, hosts, threads and cores, and remarks where these don't fit together:
///   4 ranks on 2 hosts, 2 threads each; device: CPU
///     n07: ranks 0-1 on cores 0-7
///     n08: rank 2 on cores 0-3, rank 3 on cores 4-7
std::vector<std::string> seats_text(const std::vector<Seat>& seats, int64_t threads);

/// Collective. Says them on rank 0's standard error.
void tell_seats(comm::World& world, int64_t threads);

}  // namespace compeer::train
