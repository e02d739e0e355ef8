#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "stages/reward_accuracy/accuracy.h"

namespace compeer::stages {

/// Compares, for emotion and strategy, the most likely label with people's labels. Reports weighted F1 and accuracy;
/// any of several labels of a round is right. For comparison: `majority`, the most frequent label of all rounds, and
/// `calibrated`, the label whose likelihood exceeds its mean over all rounds the most, so that a constant preference
/// for a label has no effect.
class LabelChoices {
 public:
  static constexpr std::array<const char*, 2> steps = {"emotion", "strategy"};

  /// Returns people's labels of a step in the record's "people"; empty if there are none.
  static std::vector<std::string> people(const nlohmann::json& record, const std::string& step);

  /// Returns the labels of a record; `add_summary` adds them to `labels`. Every record must be added before the first
  /// `choose`.
  std::string summary(const nlohmann::json& record) const;
  void add_summary(const std::string& summary);

  /// Returns all labels of the step (0: emotion, 1: strategy) that occur, sorted.
  const std::vector<std::string>& labels(size_t step) const { return labels_[step]; }

  /// Records the most likely label of a step in the record's "judged" and all likelihoods in its "likelihoods", and
  /// adds the counts. `likelihoods` is in the order of `labels(step)`.
  void choose(nlohmann::json& record, size_t step, std::span<const double> likelihoods, Outcome& outcome) const;

  /// Returns the figures of both steps, with intervals by bootstrap over dialogues. Steps without counts are left out.
  nlohmann::json findings(const std::map<std::string, double>& counts, const statistics::Resampling& how) const;

 private:
  std::array<std::vector<std::string>, 2> labels_;
};

}  // namespace compeer::stages
