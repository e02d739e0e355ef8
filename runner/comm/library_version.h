#pragma once
#include <string>

namespace compeer::comm {

/// "Open MPI v4.1.4": what the MPI library calls itself. Starts nothing.
std::string library_version();

}  // namespace compeer::comm
