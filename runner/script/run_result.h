#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "spec/schema.h"
#include "statistics/interval.h"

namespace compeer::script {

/// A number with its 95 % interval, if it has one; n = 0: there is none.
using Estimate = statistics::Interval;

/// What became of a run.
struct RunResult {
  enum class State { finished, failed, planned };  ///< planned: a dry run, nothing was started
  std::string name, path;
  State state = State::failed;
  bool reused = false;         ///< it had finished before and was read back
  std::optional<Error> error;  ///< why it failed
  std::map<std::string, Estimate> metrics;
  std::vector<std::string>
      promised;        ///< of a planned run: metrics that it will have, "rewards/judge/*": any; empty: nobody knows
  std::string stages;  ///< of a data run: what became of its records, as lines
  std::string stage;   ///< of a stage of a data run: "05-judge"; the metrics are its own then
  spec::json spec;     ///< the resolved values
};

const char* state_name(RunResult::State state);

/// "alpha-0.5-seed_2 failed (exit 5): ..." for each run that failed.
std::vector<std::string> failures(const std::vector<RunResult>& runs);

}  // namespace compeer::script
