#include "comm/library_version.h"

#include "comm/mpi.h"

namespace compeer::comm {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text);
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace compeer::comm
