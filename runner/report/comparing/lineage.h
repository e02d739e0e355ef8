#pragma once
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// Which run came from which: a run whose model is loaded from results/A/checkpoints/... is a child of run A, if A is
/// among the runs reported on; and which runs are repetitions of each other.
///
/// Numbers below are places in `runs`. The runs must outlive the lineage.
class Lineage {
 public:
  explicit Lineage(const std::vector<RunData>& runs);

  std::optional<size_t> parent(size_t run) const { return parents_[run]; }

  /// Runs that differ in nothing but their seeds and their names (and, likewise, those of the runs whose checkpoints
  /// and records they use) have the same key.
  const std::string& key(size_t run) const { return keys_[run]; }

  /// The run that this folder or file belongs to: of "results/A/checkpoints/last", A.
  std::optional<size_t> run_of(const std::string& path) const;

  /// Part of a run's spec as a text that repetitions have in common: without seeds, and with the key of a run in place
  /// of any path into its folder.
  std::string in_common(const nlohmann::json& part) const;

  /// Colour and dash of a run (plots.h): each kind of training run has its own, an evaluation that of the run whose
  /// weights it judged. With more kinds than looks, all are drawn alike.
  size_t style(size_t run) const { return styles_[run]; }

 private:
  const std::string& find_key(size_t run);
  std::string find_used_key(const std::string& path, size_t run);
  std::string key_of(nlohmann::json spec, size_t run);
  void choose_styles();

  const std::vector<RunData>& runs_;
  std::vector<std::optional<size_t>> parents_;
  std::vector<std::string> keys_;
  std::map<std::string, std::string> used_keys_;  ///< of runs that are not reported on, by the paths in specs
  std::vector<size_t> styles_;
};

/// Runs that differ in their seeds alone: one line or dot.
struct Kind {
  std::string label, name;  ///< "por"; "por (3 seeds)"
  size_t style = 0;
  std::vector<size_t> runs;
};

/// These runs, repetitions taken together, in the order of the first of each.
std::vector<Kind> kinds_of(const std::vector<RunData>& runs, const Lineage& lineage, const std::vector<size_t>& which);

/// What the names of repetitions have in common: "alpha-2-seed-1", "alpha-2-seed-2" -> "alpha-2".
std::string common_start(const std::vector<std::string>& names);

/// What a report calls several names, short but distinct.
std::vector<std::string> short_labels(const std::vector<std::string>& names);

}  // namespace compeer::report
