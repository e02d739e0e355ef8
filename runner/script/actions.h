#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "spec/catalog.h"
#include "spec/schema.h"
#include "spec/spec.h"
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

/// The runs of a sweep side by side, or how they differ from base runs (docs/lua.md, "Sweeps").
struct SweepTable {
  struct Row {
    std::vector<spec::json> settings;  ///< one for each column that is a setting
    std::vector<Estimate> metrics;     ///< one for each column that is a metric; n = 0: no finished run has it
    size_t finished = 0, failed = 0;   ///< runs; 0 in a comparison
  };
  std::vector<std::string> settings, metrics;
  std::vector<Row> rows;
  std::vector<std::string> notes;  ///< lines about runs that failed or have no partner
  std::string base, paired_by;     ///< of a comparison: "reweighting.plugin = none", "seed"
};

/// A page about runs; about those of a sweep with its table, and how they differ from a base.
struct ReportRequest {
  std::string title, output;
  std::vector<RunResult> runs;
  std::optional<SweepTable> table, comparison;
  std::vector<std::pair<std::string, std::string>> frontiers;  ///< metrics to be plotted against each other: x and y
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

  /// Whether scripts that can are to do as little as shows that they work: `--quick`.
  virtual bool quick() const { return false; }

  /// Where the folders of runs are made.
  virtual std::string folder() const { return "results"; }

  /// In a dry run: whether a run that was launched before would make this file or folder.
  virtual bool promised(const std::string& /*path*/) const { return true; }

  /// Runs all, at most `jobs` at the same time, and waits. One result for each, in order; a run that fails is a result.
  /// Throws only if the user wants everything to end.
  virtual std::vector<RunResult> launch(const std::vector<spec::Spec>& specs, int jobs) = 0;

  /// Runs of a list failed, and the script goes on: when it ends, the program's exit code is to tell.
  virtual void failed(const std::vector<RunResult>& runs) = 0;

  virtual void report(const ReportRequest& report) = 0;

  /// Figures that were kept in a file; nothing where there is none. Throws Error (exit 4) if that is no JSON object.
  virtual std::optional<spec::json> kept(const std::string& /*file*/) const { return {}; }
  virtual void keep(const std::string& /*file*/, const spec::json& /*figures*/) {}

  /// A remark for the user, beside what the script prints.
  virtual void note(const std::string& text) = 0;
};

}  // namespace compeer::script
