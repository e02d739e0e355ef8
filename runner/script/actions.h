#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "spec/catalog.h"
#include "spec/spec.h"

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
  spec::json spec;  ///< the resolved values
};

/// A page about runs.
struct Report {
  std::string title, output;
  std::vector<RunResult> runs;
};

/// What a script can set in motion outside of itself. The front end does these things; the script room only asks.
class Actions {
 public:
  virtual ~Actions() = default;

  virtual const spec::Catalog& catalog() const = 0;

  /// Changes for every experiment that is loaded or made from a table: `--set`, `--ranks`.
  virtual const std::vector<spec::Change>& changes() const = 0;

  /// Nothing is to be started; `launch` tells what would be and returns planned runs.
  virtual bool dry_run() const = 0;

  /// In a dry run: whether a run that was launched before would make this file or folder.
  virtual bool promised(const std::string& /*path*/) const { return true; }

  /// Runs all, at most `jobs` at the same time, and waits. One result for each, in order; a run that fails is a result.
  /// Throws only if the user wants everything to end.
  virtual std::vector<RunResult> launch(const std::vector<spec::Spec>& specs, int jobs) = 0;

  virtual void report(const Report& report) = 0;

  /// A remark for the user, beside what the script prints.
  virtual void note(const std::string& text) = 0;
};

}  // namespace compeer::script
