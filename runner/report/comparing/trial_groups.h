#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/runs/figures.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// A trial is a stage of a data run that measures something: a model in dialogues (`sage`, `esc_eval`), a judge
/// (`reward_accuracy`). It is told by its findings, which hold figures: {"value", "low", "high"}.

/// Trials of one model, or one judge: one, or several that differ in their seeds alone.
struct TrialKind {
  struct Place {
    size_t run, stage;
    nlohmann::json test;  ///< its circumstances, seeds included: what two kinds went through alike
  };
  std::string name, label;  ///< of its runs; with the stage's where a run has several of this plugin. `label` is short
  std::string subject;      ///< what is tested: the run that taught it, or a path
  size_t style = 0;
  std::vector<Place> trials;
};

/// Trials that may be compared: one plugin, with the same data and settings but for who is tested.
struct TrialGroup {
  std::string plugin, heading;
  std::string particulars;  ///< how it differs from other groups of its plugin: "rounds = 20"; "" if there are none
  std::vector<std::string> columns;    ///< the figures of the paper's table, in its order; may be empty
  std::vector<std::string> titles;     ///< what the columns are called
  std::string headline;                ///< the one by which kinds are ranked in a sentence; "" without columns
  std::map<std::string, Better> ways;  ///< of figures by their names, as the stages tell
  std::vector<TrialKind> kinds;

  Better better(const std::string& path) const { return better_of(ways, path); }
  std::string title(const std::string& column) const;
};

std::vector<TrialGroup> trial_groups(const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
