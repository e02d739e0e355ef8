#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "stages/reward_accuracy/accuracy.h"

namespace compeer::stages {

// The figures of the stage label_choice of a data run. People labelled the rounds of dialogues with the seeker's
// emotion and the supporter's strategy. The stage asks a judge (a language model) how likely each occurring label is.

/// Compares, for emotion and strategy, the label that a judge finds most likely with people's labels. Reports weighted
/// F1 and accuracy; any of several labels of a round is right. For comparison: `majority`, the most frequent label of
/// all rounds, and `calibrated`, the label whose likelihood exceeds its mean over all rounds the most, so that a
/// constant preference for a label has no effect.
class LabelChoices {
 public:
  /// Names of the two steps. Parameters `step` of type size_t are indices of this array.
  static constexpr std::array<const char*, 2> steps = {"emotion", "strategy"};

  /// Returns people's labels of the step with this name, from the record's field "people"; empty if there are none.
  static std::vector<std::string> people(const nlohmann::json& record, const std::string& step);

  /// Returns people's labels of both steps of a record as text, for `add_summary`.
  std::string summary(const nlohmann::json& record) const;
  /// Adds the labels of a record to `labels`. Must be called for every record before the first `choose`.
  void add_summary(const std::string& summary);

  /// Returns all different labels of the step that were added, sorted.
  const std::vector<std::string>& labels(size_t step) const { return labels_[step]; }

  /// Writes the most likely label of a step into the record's "judged" and all likelihoods into its "likelihoods", and
  /// adds the comparison with people's labels to the counts of `outcome`. `likelihoods`: the judge's value of each
  /// label, in the order of `labels(step)`; the greatest is chosen.
  void choose(nlohmann::json& record, size_t step, std::span<const double> likelihoods, Outcome& outcome) const;

  /// Returns the figures of both steps, by the step's name. `counts`: the sums over all records; `how`: parameters of
  /// the bootstrap over dialogues. Steps without counts are left out.
  nlohmann::json findings(const std::map<std::string, double>& counts, const statistics::Resampling& how) const;

 private:
  std::array<std::vector<std::string>, 2> labels_;  // [step]: all labels, sorted
};

}  // namespace compeer::stages
