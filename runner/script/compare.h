#pragma once
#include <string>
#include <utility>
#include <vector>

#include "script/table.h"

namespace compeer::script {

/// How runs differ from base runs, pair by pair: of each pair the difference (run - base), of each row the mean of the
/// differences with its 95 % interval (Student's t). What the two runs of a pair share, such as the luck of their seed,
/// cancels out.
struct Comparison {
  struct Row {
    std::vector<spec::json> settings;   ///< one for each of `settings`
    std::vector<Estimate> differences;  ///< one for each metric; n = pairs; of a single pair without an interval
  };
  std::vector<std::pair<std::string, spec::json>> base;  ///< the settings that make a run a base run, with their values
  std::vector<std::string> paired_by;                    ///< settings in which the two of a pair agree
  std::vector<std::string> settings, metrics;
  std::vector<Row> rows;
  std::vector<std::string> left_out;  ///< a line for each run that failed or has no partner

  std::string text() const;
  std::string base_text() const;  ///< "reweighting.plugin = none"
};

/// `base`: such as {"reweighting.plugin", "none"}. Every other run is compared with the base run that has the same
/// values of `pair` ("seed") and of the columns that are settings. An Error if that leaves a choice, if no run is a
/// base run, or if a name is unknown.
Comparison compare(const std::vector<RunResult>& runs, const std::vector<std::string>& columns,
                   const std::vector<std::pair<std::string, spec::json>>& base, const std::vector<std::string>& pair);

/// Throws Error if no run is a base run, or a setting is unknown. Runs that are planned have all that is looked at.
void check_comparison(const std::vector<RunResult>& runs, const std::vector<std::pair<std::string, spec::json>>& base,
                      const std::vector<std::string>& pair);

}  // namespace compeer::script
