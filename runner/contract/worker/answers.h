#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "plugin/library.h"

namespace compeer::contract {

/// What came of one call into a plugin: bytes, or the error that came instead.
struct CallResult {
  std::string bytes;
  std::string method, problem;  ///< of the error: which method, and what it said; empty if there is none
  std::string help;
  Exit exit = Exit::ok;
  bool failed() const { return !problem.empty(); }
  bool operator==(const CallResult& other) const { return bytes == other.bytes && problem == other.problem; }
};

/// An error out of a plugin, its method told apart from what it said. One that another plugin caused, or that has no
/// method, keeps its whole place in front.
CallResult failure(const plugin::Identity& identity, const std::string& method, const Error& error);

/// Inputs for which the same can be said, in one sentence.
class Sentences {
 public:
  void add(const std::string& method, const std::string& input, const std::string& what) {
    auto& inputs = sentences_[{method, what}];
    inputs.push_back(input);
  }
  /// "in score() with empty completions, a single completion: threw a value of type int"
  std::vector<std::string> all() const;

 private:
  static constexpr size_t most = 3;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> sentences_;
};

}  // namespace compeer::contract
