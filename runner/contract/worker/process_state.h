#pragma once
#include <map>
#include <string>
#include <vector>

namespace compeer::contract {

/// What all code of a process shares, and no plugin may change for the others: current folder, file mode mask, locale,
/// environment, limits, signal actions, and the arithmetic of this thread; as it was when this was made.
class ProcessState {
 public:
  ProcessState();

  /// What is otherwise now, in words: "the current folder".
  std::vector<std::string> changed() const;

 private:
  std::map<std::string, std::string> before_;
};

}  // namespace compeer::contract
