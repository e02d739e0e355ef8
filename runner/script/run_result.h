#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "spec/schema.h"

namespace compeer::script {

/// A number with its 95 % interval, out of `n` draws; without an interval `low` and `high` are `mean`.
struct Estimate {
  double mean = 0, low = 0, high = 0;
  uint64_t n = 0;
};

/// What became of a run.
struct RunResult {
  enum class State { finished, failed, planned };  ///< planned: a dry run, nothing was started
  std::string name, path;
  State state = State::failed;
  bool reused = false;         ///< it had finished before and was read back
  std::optional<Error> error;  ///< why it failed
  std::map<std::string, Estimate> metrics;
  std::string stages;  ///< of a data run: what became of its records, as lines
  spec::json spec;     ///< the resolved values
};

/// "alpha-0.5-seed_2 failed (exit 5): ..." for each run that failed.
std::vector<std::string> failures(const std::vector<RunResult>& runs);

}  // namespace compeer::script
