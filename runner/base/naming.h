#pragma once
#include <cstddef>

namespace compeer {

/// Looks for the programs that know names of functions, so that a handler need not.
void find_namers();

/// For handlers: the function at an address of this process, "score(Group const&) at a.cpp:12" or what is known of it,
/// and where it stands, "/x/rewards/a.so+0x1a2b". Both end in a zero. `after_call`: it is where a call returns to.
/// `patience`: milliseconds that may pass.
struct SymbolName {
  char place[512], function[512];
};
void name_address(void* address, bool after_call, int patience, SymbolName& named);

}  // namespace compeer
