#pragma once
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

/// Relations between the runs of a report, which determine how they are grouped, named and coloured on the page.
namespace compeer::report {

/// Parents, repetitions and plot styles of runs. A run with the start model results/A/checkpoints/... is a child of run
/// A, if A is among the runs of the report. Repetitions are runs that differ only in seeds and names.
///
/// `run` is always an index into the constructor's list, which must outlive this object.
class Lineage {
 public:
  explicit Lineage(const std::vector<RunData>& runs);

  /// Returns the run that trained the start model of `run`; nullopt if it is not in the report.
  std::optional<size_t> parent(size_t run) const { return parents_[run]; }

  /// Returns a text (a hash) that is equal for repetitions. Runs that provide their checkpoints and records may differ
  /// in seeds and names, too.
  const std::string& key(size_t run) const { return keys_[run]; }

  /// Returns the run of the report that contains this folder or file: A for "results/A/checkpoints/last"; nullopt if
  /// there is none.
  std::optional<size_t> run_of(const std::string& path) const;

  /// Returns a part of a run's spec as JSON text that is equal for repetitions: without seeds, and with keys of runs in
  /// place of paths into their folders.
  std::string without_seeds(const nlohmann::json& part) const;

  /// Returns the index of a run's style in plots: its colour and dash. Repetitions share one; an evaluation has that of
  /// the run that trained its model. If the report needs more styles than look different, all look alike.
  size_t style(size_t run) const { return styles_[run]; }

 private:
  /// Computes keys_[run] unless it is known, after the keys of the runs that it uses.
  const std::string& find_key(size_t run);
  /// Returns the key of the run that contains `path`, a path in the spec of `run`, whether or not it is in the report;
  /// "" if it is unknown or is `run` itself.
  std::string find_used_key(const std::string& path, size_t run);
  /// Returns the hash of a spec that is the key of its run. `run`: the run that has the spec, or uses its run.
  std::string key_of(nlohmann::json spec, size_t run);
  /// Fills styles_.
  void choose_styles();

  const std::vector<RunData>& runs_;
  std::vector<std::optional<size_t>> parents_;    ///< [run]: result of parent()
  std::vector<std::string> keys_;                 ///< [run]: result of key(); "" until it is computed
  std::map<std::string, std::string> used_keys_;  ///< keys of runs that are not in the report, by the paths in specs
  std::vector<size_t> styles_;                    ///< [run]: result of style()
};

/// Repetitions: runs that differ only in their seeds, drawn as one line or dot.
struct RunGroup {
  std::string label;         ///< short name for plots: "por"
  std::string name;          ///< full name: "por (3 seeds)"
  size_t style = 0;          ///< index of colour and dash, as Lineage::style
  std::vector<size_t> runs;  ///< indices of the runs in the report
};

/// Groups repetitions among the runs with the indices `which`, in the order of the first run of each group.
std::vector<RunGroup> run_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                 const std::vector<size_t>& which);

/// Returns the common beginning of the names of repetitions: "alpha-2" for "alpha-2-seed-1" and "alpha-2-seed-2"; the
/// first name if they have none.
std::string common_start(const std::vector<std::string>& names);

/// Returns short labels for distinct names, [name]: without the words that all share at the beginning and the end.
std::vector<std::string> short_labels(const std::vector<std::string>& names);

}  // namespace compeer::report
