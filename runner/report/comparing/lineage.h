#pragma once
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// Relations between runs: parents (a run whose model is results/A/checkpoints/... is a child of run A, if A is among
/// the runs of the report), repetitions with other seeds, and styles in plots.
///
/// Runs are given by their index in `runs`, which must outlive this object.
class Lineage {
 public:
  explicit Lineage(const std::vector<RunData>& runs);

  /// Returns the run that the model of `run` comes from.
  std::optional<size_t> parent(size_t run) const { return parents_[run]; }

  /// Returns a key that is equal for runs that differ only in seeds and names, also of the runs whose checkpoints and
  /// records they use.
  const std::string& key(size_t run) const { return keys_[run]; }

  /// Returns the run that contains this folder or file: A for "results/A/checkpoints/last".
  std::optional<size_t> run_of(const std::string& path) const;

  /// Returns a part of a run's spec as a text that is equal for repetitions: without seeds, and with keys of runs in
  /// place of paths into their folders.
  std::string in_common(const nlohmann::json& part) const;

  /// Returns the index of a run's colour and dash (plots.h). Repetitions share one; an evaluation has that of the run
  /// whose weights it evaluates. With more styles than can be told apart, all look alike.
  size_t style(size_t run) const { return styles_[run]; }

 private:
  const std::string& find_key(size_t run);
  std::string find_used_key(const std::string& path, size_t run);
  std::string key_of(nlohmann::json spec, size_t run);
  void choose_styles();

  const std::vector<RunData>& runs_;
  std::vector<std::optional<size_t>> parents_;
  std::vector<std::string> keys_;
  std::map<std::string, std::string> used_keys_;  ///< keys of runs that are not in the report, by the paths in specs
  std::vector<size_t> styles_;
};

/// Runs that differ only in their seeds: one line or dot.
struct RunGroup {
  std::string label, name;  ///< "por"; "por (3 seeds)"
  size_t style = 0;
  std::vector<size_t> runs;  ///< indices of the runs
};

/// Groups these runs by key, in the order of the first run of each group.
std::vector<RunGroup> run_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                 const std::vector<size_t>& which);

/// Returns what the names of repetitions have in common: "alpha-2-seed-1", "alpha-2-seed-2" -> "alpha-2".
std::string common_start(const std::vector<std::string>& names);

/// Returns short, distinct labels for several names: without the words that all share at the beginning and the end.
std::vector<std::string> short_labels(const std::vector<std::string>& names);

}  // namespace compeer::report
