#pragma once
#include <string>

namespace compeer::contract {

/// From here on a crash, a call of exit() and a call that lasts longer than `patience` seconds end this process, and
/// the file `report` is told which of a plugin's methods was called, with what, and the stack: a line
///   {"crash": {"signal": 11 or "exit": 0 or "seconds": 60, "check", "method", "input"}}
/// and then the stack, a line for each function.
void watch_calls(int report, double patience);

/// Which call comes next, for `watch_calls`.
void next_call(const std::string& check, const std::string& method, const std::string& input);

/// If the plugin has forked, and this is the process that it made: ends it, and the report gets {"forked": true}. A
/// copy that went on would tell everything again.
void end_if_copy();

/// Of several calls in a row, each has its own patience.
void patience_begins();

/// While it lives, a call is under way. A copy of the process that comes back from it ends here.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

}  // namespace compeer::contract
