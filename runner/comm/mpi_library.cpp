// Name and all-reduce of the MPI library itself.
#include "comm/mpi_library.h"

#include "comm/mpi.h"

namespace compeer::comm {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text);
  return whole.substr(0, whole.find_first_of(",\n"));
}

void library_sum(const World& world, std::span<float> values) {
  if (world.size() == 1) return;
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
        "MPI_Allreduce");
}

}  // namespace compeer::comm
