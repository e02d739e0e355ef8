#include "comm/library_sum.h"

#include "comm/mpi.h"

namespace compeer::comm {

void library_sum(const World& world, std::span<float> values) {
  if (world.size() == 1) return;
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
        "MPI_Allreduce");
}

}  // namespace compeer::comm
