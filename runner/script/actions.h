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

/// Mean of a metric with its 95 % interval, if it has one; n = 0: no value.
using Estimate = statistics::Interval;

/// Outcome of a run.
struct RunResult {
  enum class State { finished, failed, planned };  ///< planned: in a dry run, where no run is started
  std::string name, path;                          ///< name of the run; its folder
  State state = State::failed;
  bool reused = false;         ///< the run had finished before and its results were read from its folder
  std::optional<Error> error;  ///< why the run failed; empty for other runs
  std::map<std::string, Estimate> metrics;
  /// Planned runs only: names of the metrics that the run will have ("rewards/judge/*" matches any); empty if unknown.
  std::vector<std::string> expected_metrics;
  std::string stages;  ///< data runs: number of records after each stage and so on, as text of several lines
  std::string stage;   ///< if the result is that of one stage of a data run: "05-judge"; `metrics` are that stage's
  spec::json spec;     ///< resolved settings, without texts of files (see `visible` in lookup.h)
};

/// Returns "finished", "failed" or "planned".
const char* state_name(RunResult::State state);

/// Returns one line for each failed run: "alpha-0.5-seed_2 failed (exit 5): ...".
std::vector<std::string> failures(const std::vector<RunResult>& runs);

/// A table of the runs of a sweep, or of their differences from base runs (docs/lua.md, "Sweeps").
struct SweepTable {
  /// The runs with one combination of the settings.
  struct Row {
    std::vector<spec::json> settings;  ///< one value per column in SweepTable::settings
    std::vector<Estimate> metrics;     ///< one per column in SweepTable::metrics; n = 0: no finished run has it
    size_t finished = 0, failed = 0;   ///< numbers of runs; 0 in a comparison
  };
  std::vector<std::string> settings, metrics;  ///< names of the columns
  std::vector<Row> rows;
  std::vector<std::string> notes;  ///< lines about runs that failed or have no base run
  std::string base, paired_by;     ///< comparisons only: "reweighting.plugin = none" and "seed"
};

/// A request to write an HTML report about runs, with the table of their sweep and a comparison with base runs.
struct ReportRequest {
  std::string title, output;  ///< `output`: file to write
  std::vector<RunResult> runs;
  std::optional<SweepTable> table, comparison;
  std::vector<std::pair<std::string, std::string>> frontiers;  ///< metrics to plot against each other: x and y
};

/// Interface to everything that a script can start outside of the interpreter. Implemented by launch/script_actions.h.
class Actions {
 public:
  virtual ~Actions() = default;

  virtual const spec::Catalog& catalog() const = 0;

  /// Returns the changes of the command line (`--set`, `--ranks`), which are applied to every experiment when it is
  /// loaded or made from a table.
  virtual const std::vector<spec::Change>& changes() const = 0;

  /// True if no run must be started. Then `launch` reports what it would start and returns planned runs.
  virtual bool dry_run() const = 0;

  /// True if the user asks for the smallest form of the script that shows that it works (`--quick`).
  virtual bool quick() const { return false; }

  /// Returns the folder in which the folders of runs are created.
  virtual std::string folder() const { return "results"; }

  /// In a dry run: true if `path` is in the folder of a run that was planned before, and so may not exist yet.
  virtual bool is_planned_path(const std::string& /*path*/) const { return true; }

  /// Runs all specs, at most `jobs` at the same time, and waits for them. Returns one result per spec, in order; a
  /// failed run is a result with an error. Throws Error only if the whole script must end, such as at Ctrl-C.
  virtual std::vector<RunResult> launch(const std::vector<spec::Spec>& specs, int jobs) = 0;

  /// Records failed runs of a list that did not end the script, for the program's exit code.
  virtual void record_failures(const std::vector<RunResult>& runs) = 0;

  /// Writes a report. In a dry run only reports that it would.
  virtual void report(const ReportRequest& report) = 0;

  /// Reads the figures of a study that `store_figures` has stored in a file; nothing if there is no file. Throws Error
  /// (exit 4) if it is not a JSON object.
  virtual std::optional<spec::json> read_figures(const std::string& /*file*/) const { return {}; }
  /// Stores figures of a study in a file.
  virtual void store_figures(const std::string& /*file*/, const spec::json& /*figures*/) {}

  /// Shows a message to the user, separately from the output of the script.
  virtual void note(const std::string& text) = 0;

  /// Shows a remark about settings to the user, once.
  virtual void remark(const std::string& text) { note("compeer: note: " + text); }
};

}  // namespace compeer::script
