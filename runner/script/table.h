#pragma once
#include <string>
#include <vector>

#include "script/run_result.h"

namespace compeer::script {

/// Runs side by side: one row for each combination of the settings asked for, and of each metric the mean over the
/// runs of the row (their seeds, say) with its 95 % interval. Where every row is a single run, the intervals are those
/// the runs have themselves, over their prompts; the two are never in one table.
struct ResultTable {
  struct Row {
    std::vector<spec::json> settings;  ///< one for each column that is a setting
    std::vector<Estimate> metrics;     ///< one for each column that is a metric; n = 0: no finished run has it
    size_t finished = 0, failed = 0;
  };
  std::vector<std::string> settings, metrics;
  std::vector<Row> rows;
  std::vector<std::string> failed;  ///< a line for each run that failed (run_result.h)
  bool over_runs = false;           ///< a row has several runs, so the intervals are over runs

  /// Aligned columns, for people.
  std::string text() const;
  std::string intervals() const;  ///< a line that says what they are over; "" if there are none
};

/// A column is a setting if the runs' specs have that key, else a metric. An unknown one is an Error with the nearest
/// name.
struct Columns {
  std::vector<std::string> settings, metrics;
};
Columns sort_columns(const std::vector<RunResult>& runs, const std::vector<std::string>& columns);

/// Of runs that were not made yet: an Error with the nearest name for a column that will be none of their settings and
/// metrics, as far as those are known.
void refuse_unpromised(const std::vector<RunResult>& runs, const std::vector<std::string>& columns);

/// Rows stand in the order of their first run.
ResultTable make_table(const std::vector<RunResult>& runs, const std::vector<std::string>& columns);

/// Mean and 95 % interval (Student's t) over runs; of a single one without an interval.
Estimate over_runs(const std::vector<Estimate>& runs);

/// The values of these settings in a run's spec; null where it has none.
std::vector<spec::json> settings_of(const RunResult& run, const std::vector<std::string>& paths);

/// A setting's value and cells in aligned columns, as people read them; `notes` are lines below.
std::string show(const spec::json& value);
std::string aligned(const std::vector<std::vector<std::string>>& cells, const std::vector<std::string>& notes);

}  // namespace compeer::script
