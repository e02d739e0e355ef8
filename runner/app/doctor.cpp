#include "app/commands.h"
#include "base/error.h"

namespace compeer::app {

int doctor(bool, std::ostream&) { throw Error("", "'doctor' is not part of this build", "", Exit::failure); }

}  // namespace compeer::app
