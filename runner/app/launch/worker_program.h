#pragma once
#include <string>

namespace compeer::app {

/// The program `compeer-worker`: what COMPEER_WORKER names, else the one beside this program. Throws Error (exit 1).
std::string find_worker();

}  // namespace compeer::app
